/** Dead letters: the filter in the address, and the requests and sentences of a bulk redrive. No document, no request. */
import { count, duration, instant } from './format.js';

const HOUR_MS = 3_600_000;
/** The ranges of due times that the page offers. */
export const SINCE = {
  '1h': { ms: HOUR_MS, label: 'last hour' },
  '24h': { ms: 24 * HOUR_MS, label: 'last 24 hours' },
  '7d': { ms: 7 * 24 * HOUR_MS, label: 'last 7 days' },
  all: { ms: null, label: 'all that are kept' },
};
export const DEFAULT_SINCE = 'all';
/** Reasons that the filter offers: first why no attempt followed, then what the last attempt met. */
export const REASONS = [
  'attempts_used_up', 'not_retryable', 'too_old', 'stopped', 'job_deleted', 'worker_lost', 'http_status', 'redirect',
  'timeout', 'connect_failed', 'dns_failed', 'tls_failed', 'address_not_allowed', 'protocol_error', 'receiver_failed',
  'receiver_gave_up', 'signing_secret_gone', 'workflow_gone', 'run_failed', 'run_timed_out', 'unavailable',
  'request_unreadable', 'result_invalid',
  'role_refused', 'target_not_found', 'target_access_denied', 'target_throttled', 'target_refused', 'target_failed',
  'function_failed',
];
export const DEFAULT_RATE = 10;
export const HIGHEST_RATE = 1_000;
const MEMBERS = ['job', 'tag', 'reason', 'status', 'lane'];
const OPEN = new Set(['running', 'undoing']);

/** @returns {string} the name of a range that exists */
export const sinceName = (name) => (Object.hasOwn(SINCE, name ?? '') ? name : DEFAULT_SINCE);

/** The filter in the query of an address, with `from` at its instant. Members without a value are left out. */
export function filterOf(query, nowMs) {
  const chosen = MEMBERS.filter((name) => query[name]).map((name) => [name, query[name]]);
  const { ms } = SINCE[sinceName(query.since)];
  return { ...Object.fromEntries(chosen), ...(ms === null ? {} : { from: new Date(nowMs - ms).toISOString() }) };
}

/** The body of POST /v1/dead-letters/redrive. `status` is a number there. */
export function redriveBody(filter, { rate, isDryRun }) {
  const { status, ...rest } = filter;
  const body = { ...rest, ...(status ? { status: Number(status) } : {}) };
  return isDryRun ? { ...body, dry_run: true } : { ...body, rate };
}

/** Why a rate is refused; null for one that the API takes. */
export function rateProblem(text) {
  const isWhole = /^\d{1,4}$/.test(String(text).trim());
  const rate = Number(text);
  return isWhole && rate >= 1 && rate <= HIGHEST_RATE ? null : `The pace is a whole number from 1 to ${count(HIGHEST_RATE)} a second.`;
}

/** The filter in words, such as "job job_1, HTTP 503, due since 12:00"; "all dead letters" without one. */
export function filterSentence(filter, zone) {
  const parts = [
    filter.job && `of job ${filter.job}`,
    filter.tag && `with the tag ${filter.tag}`,
    filter.status && `with HTTP ${filter.status}`,
    filter.reason && `with the reason ${filter.reason.replaceAll('_', ' ')}`,
    filter.lane && `of the lane ${filter.lane}`,
    filter.from && `due since ${instant(filter.from, zone).text}`,
  ].filter(Boolean);
  return parts.length ? `dead letters ${parts.join(', ')}` : 'all dead letters';
}

/** What a dry run has found. */
export function planSentence({ count: found, already_redriven: before, redrives: fresh, complete }, rate) {
  const least = complete ? '' : 'At least ';
  if (found === 0) return complete ? 'No dead letter matches.' : 'None of the first thousand dead letters matches.';
  const skipped = before > 0 ? ` ${count(before)} of them ${before === 1 ? 'has' : 'have'} a redrive already, or one of the same run, and will be skipped.` : '';
  const time = rate > 0 ? ` At ${count(rate)} a second that takes ${duration(1_000 * Math.max(1, Math.ceil(fresh / rate)))}.` : '';
  const more = complete ? '' : ' A dry run looks at a thousand dead letters.';
  return `${least}${letters(found)} ${found === 1 ? 'matches' : 'match'}.${skipped} ${count(fresh)} would be redriven.${time}${more}`;
}

/** @returns {boolean} whether a bulk redrive still proceeds */
export const isOpen = (redrive) => OPEN.has(redrive.state);

/** How far a bulk redrive is, beside the word of its state. */
export function progressSentence({ state, counts, rate }) {
  const done = [
    `${count(counts.redriven)} redriven`,
    counts.skipped > 0 && `${count(counts.skipped)} skipped`,
    counts.refused > 0 && `${count(counts.refused)} refused, because their job was deleted or their request is not kept`,
    counts.cancelled > 0 && `${count(counts.cancelled)} cancelled again`,
    counts.already_started > 0 && `${count(counts.already_started)} had started already`,
  ].filter(Boolean);
  const words = {
    running: `At most ${count(rate)} a second. `,
    undoing: 'At the earliest after three minutes, no redrive is created any more. ',
  };
  return `${words[state] ?? ''}${done.join('; ')}.`;
}

/** The part of the range that is processed, from 0 to 1; null where its beginning is not known. */
export function progressOf({ state, from, to, progress_at: at }) {
  if (state === 'finished' || state === 'undone' || at === null) return 1;
  if (from === null) return null;
  const [begin, end, reached] = [from, to, at].map((each) => Date.parse(each));
  return end > begin ? Math.min(1, Math.max(0, (reached - begin) / (end - begin))) : null;
}

/** The id of the redrive that stands in the way, in the detail of a 409; null for another problem. */
export function openRedriveOf({ status, problem }) {
  return (status === 409 && /\brdr_[0-9a-z]+\b/.exec(problem?.detail ?? '')?.[0]) || null;
}

const letters = (n) => `${count(n)} dead ${n === 1 ? 'letter' : 'letters'}`;
