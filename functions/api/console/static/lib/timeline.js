/** A run as its page shows it: the stages of its attempts, and in one sentence why it was late. No document. */
import { count, duration } from './format.js';

/** A call that began this many ms after its due time, or fewer, was in time: the bound of the API's explanation. */
const ON_TIME_MS = 1_000;
const LABELS = {
  filed: 'Filed late',
  refunded: 'Claims without a call',
  lost: 'Attempt lost',
  sent: 'Sent to the queue',
  queue: 'Queue',
  wait: 'Wait',
  claim: 'Claim',
  ready: 'Ready',
  connect: 'Connect',
  head: 'First byte',
  done: 'Done',
};
const ENDED = new Set(['succeeded', 'failed', 'cancelled', 'skipped']);

/** One sentence: was it late, and because of what. */
export const latenessSentence = ({ state, lag_ms: lag, longest, summary, waiting_for: waiting }) => {
  if (lag !== null && lag <= ON_TIME_MS) return `In time: the first call began ${duration(lag)} after its due time.`;
  if (lag !== null && longest) return `Late by ${duration(lag)}. The longest stage: ${longest.text}.`;
  if (lag !== null) return `Late by ${duration(lag)}; its stages were not recorded.`;
  if (longest) return `Not started yet. ${longest.text}.`;
  if (waiting) return `Not started yet: it waits for ${waiting.reason.replaceAll('_', ' ')}.`;
  return ENDED.has(state) && state !== 'succeeded' ? summary.split('. ').slice(0, 2).join('. ') : summary;
};

/** What became of the calls, in one sentence; '' before the first attempt has ended. */
export const attemptsSentence = ({ state, attempts, attempts_begun: begun }) => {
  const last = attempts.at(-1);
  if (!last) return '';
  const end = { succeeded: 'Succeeded', failed: 'Failed', waiting: 'Waits for a retry' }[state] ?? 'Not ended yet';
  const answer = last.status === null ? last.reason.replaceAll('_', ' ') : `HTTP ${last.status}`;
  return `${end} after ${count(begun)} ${begun === 1 ? 'attempt' : 'attempts'}; the last answer: ${answer}.`;
};

/** What one wants to know first: of a failed run, how it failed; of any other, whether it was late. */
export const leadSentence = (run, why) => {
  const sentences = [latenessSentence(why), attemptsSentence(run)];
  return (run.state === 'failed' ? sentences.reverse() : sentences).filter(Boolean).join(' ');
};

/**
 * Rows of one attempt: each stage with its label, the words of the API, its offset from the due time and the bar.
 * `x` and `width` are thousandths of the attempt; a stage that took any time is at least 4 wide.
 */
export const stageRows = (attempt) => {
  const known = attempt.stages.filter((span) => span.began_at && span.ended_at);
  const begin = Math.min(...known.map((span) => Date.parse(span.began_at)));
  const whole = Math.max(1, ...known.map((span) => Date.parse(span.ended_at) - begin));
  return attempt.stages.map((span) => ({
    key: span.stage,
    label: LABELS[span.stage] ?? span.stage,
    words: span.stage === 'wait' && span.duration_ms === 0 ? 'let through at once' : span.text,
    isWait: span.stage === 'wait',
    duration: durationWords(span),
    offset: offsetWords(span, attempt),
    ...bar(span, begin, whole),
  }));
};

const bar = (span, begin, whole) => {
  if (!span.began_at || !span.ended_at) return { x: 0, width: 0 };
  const x = (1_000 * (Date.parse(span.began_at) - begin)) / whole;
  const width = (1_000 * (Date.parse(span.ended_at) - Date.parse(span.began_at))) / whole;
  const seen = span.duration_ms > 0 ? Math.max(4, width) : 0;
  return { x: Math.min(x, 1_000 - seen), width: seen };
};

const durationWords = ({ duration_ms: ms, precision }) => {
  if (ms === null) return 'not recorded';
  return precision === 'about' ? `about ${duration(ms)}` : duration(ms);
};

/** How long after the due time of the attempt a stage ended; '' where one of both is not known. */
const offsetWords = ({ ended_at: end }, { due_at: due }) =>
  end && due ? `+${duration(Math.max(0, Date.parse(end) - Date.parse(due)))}` : '';

/**
 * What the key may do with a run, each with a reason where it may not.
 * @returns {{redrive: string|null, cancel: string|null, reveal: string|null}} null where it may
 */
export const refusals = (run, may) => ({
  redrive: redriveRefusal(run, may),
  cancel: cancelRefusal(run, may),
  reveal: may('admin') && may('read') ? null : 'To see header values and the body, a key needs the scopes read and admin.',
});

const redriveRefusal = (run, may) => {
  if (run.state !== 'failed') return 'Only a failed run can be redriven.';
  if (run.archived) return 'Its record has expired, and its request with it. Trigger its job, or create a backfill.';
  return may('write') ? null : 'To redrive, a key needs the scope write.';
};

const cancelRefusal = (run, may) => {
  if (run.redrive_of === null) return 'Only redrives are cancelled here: other runs are cancelled with their job.';
  if (ENDED.has(run.state)) return 'It has ended.';
  return may('write') ? null : 'To cancel, a key needs the scope write.';
};

/** @returns {boolean} whether a run has ended */
export const isRunEnded = (state) => ENDED.has(state);

/** The shape of a state: see State of the components. */
export const stateKind = (state) =>
  ({ succeeded: 'ok', failed: 'failed', running: 'running', queued: 'wait', waiting: 'wait' })[state] ?? 'muted';
