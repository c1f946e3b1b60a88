// What a workflow, its runs and their tasks are, in words. No document.
import { count, duration, plural } from './format.js';

/** The name of a workflow, or its key, or its id. */
export const workflowTitle = (workflow) => workflow.name || workflow.key || workflow.id;

const ENDED = new Set(['succeeded', 'failed', 'cancelled', 'timed_out']);
const MARKS = {
  succeeded: 'ok', failed: 'failed', timed_out: 'failed', running: 'running', failing: 'warning', cancelling: 'wait',
  timing_out: 'warning', pending: 'wait', queued: 'wait', waiting: 'wait', blocked: 'wait',
};
const REASONS = {
  upstream_not_succeeded: 'a task before it did not succeed', nothing_failed: 'nothing failed that it handles',
  fail_fast: 'another task failed', run_cancelled: 'the run was cancelled', run_timed_out: 'the run timed out',
  map_missing: 'the result has nothing at the path of the map', map_no_array: 'the map found no array',
  map_too_long: 'the array has more than 100 elements', result_lost: 'a result that the map needs is not kept any more',
  attempts_used_up: 'all attempts have failed', not_retryable: 'the receiver refused for good',
};
const RUN_IF = {
  all_succeeded: 'all of them succeeded', all_ended: 'all of them ended', any_failed: 'one of them failed',
};

/** Whether a run has ended, so that nothing of it changes but by a redrive. */
export const isWorkflowRunEnded = (state) => ENDED.has(state);

/** The mark of a state of a run or of a task: see State of the components. */
export const workflowMark = (state) => MARKS[state] ?? 'muted';

/** 'timed out' of timed_out. */
export const stateWords = (state) => state.replaceAll('_', ' ');

/** '2 succeeded, 1 blocked' of the counts of a run; states without a task are left out. */
export const countWords = (counts) => Object.entries(counts).filter(([, n]) => n > 0)
  .map(([state, n]) => `${count(n)} ${stateWords(state)}`).join(', ') || 'no tasks';

/** What a run came to, or how far it is, in one sentence. */
export const runSentence = (run) => {
  const tasks = Object.values(run.counts).reduce((sum, n) => sum + n, 0);
  const done = tasks - run.counts.blocked - run.counts.open;
  if (!isWorkflowRunEnded(run.state)) {
    const now = run.state === 'running' ? 'Running' : `It is ${stateWords(run.state)}, and ends with the attempts that run`;
    return `${now}: ${count(done)} of ${plural(tasks, 'task')} ended.`;
  }
  const length = duration(Date.parse(run.ended_at) - Date.parse(run.created_at));
  const epoch = run.epoch > 1 ? `, with ${plural(run.epoch - 1, 'redrive')}` : '';
  return `The run ${stateWords(run.state) === 'succeeded' ? 'succeeded' : `ended as ${stateWords(run.state)}`} after ${length}${epoch}: ${countWords(run.counts)}.`;
};

/** The condition of a task: 'after extract, if all of them succeeded'; 'with the run' for a task that waits for none. */
export const conditionWords = ({ after, run_if: runIf }) => {
  if (after.length === 0) return 'starts with the run';
  return `after ${after.join(', ')}${runIf && runIf !== 'all_succeeded' ? `, if ${RUN_IF[runIf] ?? stateWords(runIf)}` : ''}`;
};

/** Why a task came to its end, or what its last answer was; '–' where there is nothing to say. */
export const taskReason = (task) => {
  const last = task.attempts.at(-1);
  const answer = last && last.reason !== 'ok'
    ? `${stateWords(last.reason)}${last.status ? ` ${last.status}` : ''}` : '';
  const reason = task.reason ?? task.end_reason;
  return [reason ? REASONS[reason] ?? stateWords(reason) : '', answer].filter(Boolean).join(' · ') || '–';
};

/** '3 of 10 items ended, 1 failed' of a map; empty for any other task. */
export const itemWords = ({ items }) => {
  if (!items) return '';
  const failed = items.failed > 0 ? `, ${count(items.failed)} failed` : '';
  return `${count(items.count - items.open)} of ${plural(items.count, 'item')} ended${failed}`;
};

/** When the last attempt of a task ended, in milliseconds; null while none has. */
export const taskEndedAt = ({ attempts }) => {
  const last = attempts.at(-1);
  return last ? Date.parse(last.started_at) + last.duration_ms : null;
};

const MOST_NAMED = 5;

/** 'after north, south'; of more than five tasks, their number. */
export const afterWords = (after) =>
  (after.length > MOST_NAMED ? `after ${plural(after.length, 'task')}` : `after ${after.join(', ')}`);

/** A text for a narrow place: the beginning, and a sign that there is more. */
export const shortened = (text, length) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);

/**
 * Which acts a run allows.
 * @returns {{cancel: boolean, redrive: boolean}}
 */
export const runActs = (run) => ({
  cancel: !isWorkflowRunEnded(run.state) && run.state !== 'cancelling',
  redrive: isWorkflowRunEnded(run.state) && run.state !== 'succeeded',
});
