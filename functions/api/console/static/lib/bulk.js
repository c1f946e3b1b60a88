// Acts on many jobs: a bulk operation for a filter, single requests for chosen rows.
import { count, plural } from './format.js';
import { number, words } from './job_form.js';

/** The acts, in the order of their buttons. */
export const ACTIONS = ['pause', 'resume', 'trigger', 'patch', 'delete'];
/** The verb of each act, as on its button, and the participle for what was done. */
export const VERBS = {
  pause: ['Pause', 'paused'], resume: ['Resume', 'resumed'], trigger: ['Trigger', 'triggered'],
  patch: ['Change', 'changed'], delete: ['Delete', 'deleted'],
};
/** Filters of the list that a bulk operation takes as well. */
const SHARED_FILTERS = ['state', 'tag', 'set', 'q', 'kind'];
const REFUSALS = {
  deleted: 'are deleted', completed: 'have completed', ended: 'have ended', running: 'are running',
  backfill: 'are backfills', invalid: 'would become invalid', quota: 'exceed a quota',
  changed: 'were changed by another request', unreadable: 'could not be read',
};
/** The fields of the dialog of an act. */
export const EMPTY_CHOICE = Object.freeze({
  reason: '', rate: '20', graceHours: '24', lane: '', timeoutSeconds: '', maxAttempts: '', addTags: '', removeTags: '',
});

/** Why a bulk operation cannot take the filter of the list; null where it can. */
export function whyNoBulk(filters, action) {
  if (filters.backfill_of) return 'A bulk operation cannot filter by backfill_of: choose rows, or use a tag.';
  if (filters.kind === 'once' && filters.set) return 'Jobs that run once have no set.';
  if (filters.kind === 'once' && action !== 'delete') return 'Jobs that run once can only be deleted.';
  return null;
}

/** The body of `POST /v1/jobs/bulk`; `plan` is null for the dry run. */
export function bulkBody(action, filters, choice, plan = null) {
  const filter = Object.fromEntries(
    SHARED_FILTERS.filter((name) => filters[name]).map((name) => [name, filters[name]]),
  );
  const body = { filter, action };
  if (action === 'pause' && choice.reason.trim()) body.reason = choice.reason.trim();
  if (action === 'patch') body.patch = bulkPatch(choice);
  if (action === 'delete') body.grace_hours = filters.kind === 'once' ? 0 : number(choice.graceHours);
  if (plan === null) return { ...body, dry_run: true };
  return { ...body, rate: number(choice.rate), plan };
}

/** The `patch` of a bulk operation. */
export function bulkPatch(choice) {
  const patch = {};
  if (choice.lane) patch.lane = choice.lane;
  if (choice.timeoutSeconds) patch.timeout_seconds = number(choice.timeoutSeconds);
  if (choice.maxAttempts) patch.retry = { max_attempts: number(choice.maxAttempts) };
  if (choice.addTags.trim()) patch.add_tags = words(choice.addTags);
  if (choice.removeTags.trim()) patch.remove_tags = words(choice.removeTags);
  return patch;
}

/** The request for one chosen job: {method, path, body, ifMatch}. The row is as the list shows it. */
export function requestFor(action, row, choice) {
  const path = `/v1/jobs/${encodeURIComponent(row.id)}`;
  const ifMatch = `"${row.revision}"`;
  switch (action) {
    case 'pause': {
      const reason = choice.reason.trim();
      return { method: 'POST', path: `${path}/pause`, body: reason ? { reason } : undefined, ifMatch };
    }
    case 'patch': return { method: 'PATCH', path, body: rowPatch(row, choice), ifMatch };
    case 'delete': return { method: 'DELETE', path, ifMatch };
    default: return { method: 'POST', path: `${path}/${action}`, ifMatch };
  }
}

function rowPatch(row, choice) {
  const { add_tags: added = [], remove_tags: removed = [], ...patch } = bulkPatch(choice);
  if (added.length || removed.length) {
    patch.tags = [...new Set([...row.tags, ...added])].filter((tag) => !removed.includes(tag));
  }
  return patch;
}

/** The act that takes back what was done to single jobs; null where nothing does. */
export function inverseOf(action) {
  return { pause: 'resume', resume: 'pause' }[action] ?? null;
}

/** Whether an act changes the state of this row; the others are left out of its undo. */
export function willChange(action, row) {
  if (action === 'pause') return row.state === 'active';
  return action === 'resume' ? row.state === 'paused' : true;
}

/** Work off `items`, at most `width` at a time. Each result is {item, value} or {item, error}. */
export async function each(items, act, { width = 4, onProgress = () => {} } = {}) {
  const results = [];
  const waiting = [...items];
  const worker = async () => {
    while (waiting.length) {
      const item = waiting.shift();
      results.push(await act(item).then((value) => ({ item, value }), (error) => ({ item, error })));
      onProgress([...results]);
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, waiting.length) }, worker));
  return results;
}

/** What a plan says, as sentences. */
export function planSentences(action, plan) {
  const willRun = plan.count - plan.unchanged - total(plan.refused);
  const least = plan.complete ? '' : 'At least ';
  return [
    `${least}${plural(plan.count, 'job matches', 'jobs match')}. ${count(willRun)} will be ${VERBS[action][1]}.`,
    ...(plan.unchanged ? [`${plural(plan.unchanged, 'already is', 'already are')} so.`] : []),
    ...refusalSentences(plan.refused),
  ];
}

/** The button that starts what a plan says. */
export function startLabel(action, plan) {
  return `${VERBS[action][0]} ${plan.complete ? '' : 'at least '}${plural(plan.count, 'job')}`;
}

/** What an operation does, and to how many jobs. */
export function taskTitle(task) {
  return `${VERBS[task.action][0]} ${plural(task.total, 'job')}`;
}

/** Why jobs were refused, as sentences. */
export function refusalSentences(refused) {
  return Object.entries(refused).map(([reason, refusals]) => `${count(refusals)} ${REFUSALS[reason] ?? reason}.`);
}

const total = (counts) => Object.values(counts).reduce((sum, each) => sum + each, 0);

const IN_WORK = ['running', 'deleting', 'undoing'];

/** The progress of an operation: {value, max, isMoving, canCancel, canUndo, sentence}. */
export function progressOf(task) {
  const max = Math.max(task.total, 1);
  const isMoving = IN_WORK.includes(task.state);
  return {
    value: Math.max(0, max - task.left),
    max,
    isMoving,
    canCancel: task.state === 'running' || task.state === 'waiting' || task.state === 'deleting',
    canUndo: canUndo(task),
    sentence: stateSentence(task),
  };
}

function canUndo(task) {
  const canTakeBack = ['running', 'waiting', 'finished', 'cancelled'].includes(task.state) && task.counts.done > 0;
  return canTakeBack && !(task.action === 'delete' && (task.grace_hours === 0 || task.counts.deleted > 0));
}

function stateSentence(task) {
  const { counts } = task;
  const done = `${counts.done} of ${task.total_is_exact ? '' : 'at least '}${task.total} ${VERBS[task.action][1]}`;
  switch (task.state) {
    case 'waiting': return `${counts.done} paused; they will be deleted at ${task.deletes_at}.`;
    case 'deleting': return `${counts.deleted} of ${counts.done} deleted.`;
    case 'undoing': return `${counts.undone} of ${counts.done} undone so far.`;
    case 'undone': return `Undone: ${counts.undone} of ${counts.done}.`;
    case 'cancelled': return `Cancelled: ${done}.`;
    case 'finished': return `Finished: ${task.action === 'delete' && task.grace_hours > 0
      ? `${counts.deleted} of ${task.total} deleted` : done}.`;
    default: return `${done} so far.`;
  }
}
