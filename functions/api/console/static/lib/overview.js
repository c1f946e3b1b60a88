/** What the overview asks of the API, and what it says about the answers. No request, no clock, no document. */
import { count, duration, instant, plural } from './format.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The ranges of time that the page offers, by their name in its address. */
export const RANGES = {
  '1h': { by: 'minute', ms: HOUR_MS, words: 'the last hour' },
  '24h': { by: 'hour', ms: DAY_MS, words: 'the last 24 hours' },
  '14d': { by: 'day', ms: 14 * DAY_MS, words: 'the last 14 days' },
};
export const DEFAULT_RANGE = '24h';
export const FAILURES_SHOWN = 50;
export const AHEAD_MS = 6 * HOUR_MS;
export const STEP_SECONDS = 900;
/** The reason that the executor gives a job whose receiver answered 410. */
const GONE = 'The job is paused. Reason: gone';

/** The outcomes of a chart, from the axis up. `states` counts them where the answer has states. */
const OUTCOMES = [
  { key: 'succeeded', label: 'succeeded', kind: 'ok' },
  { key: 'failed', label: 'failed', kind: 'failed' },
  { key: 'skipped', label: 'skipped', kind: 'muted' },
  { key: 'cancelled', label: 'cancelled', kind: 'muted' },
  { key: 'uncounted', label: 'due, outcome not counted yet', kind: 'wait' },
];

/** @returns {string} the name of a range that exists */
export const rangeName = (name) => (Object.hasOwn(RANGES, name ?? '') ? name : DEFAULT_RANGE);

/** The query of GET /v1/stats for a range that ends at `nowMs`. */
export const statsQuery = (name, nowMs) => {
  const { by, ms } = RANGES[rangeName(name)];
  return { by, from: new Date(nowMs - ms).toISOString() };
};

/** The query of GET /v1/dead-letters for the newest failures of a range. */
export const failuresQuery = (name, nowMs) => ({
  limit: FAILURES_SHOWN,
  from: new Date(nowMs - RANGES[rangeName(name)].ms).toISOString(),
});

/** The query of GET /v1/upcoming/density for the next six hours. */
export const densityQuery = (nowMs) => ({
  to: new Date(nowMs + AHEAD_MS).toISOString(),
  step_seconds: STEP_SECONDS,
});

/** The runs of one step by outcome. A step that has no counts by state has `succeeded` for all that did not fail. */
export const outcomesOf = (bucket) => {
  const failedLater = bucket.uncounted_failed ?? 0;
  const states = bucket.states ?? { succeeded: bucket.ended - bucket.failed, failed: bucket.failed };
  return {
    succeeded: states.succeeded ?? 0,
    failed: (states.failed ?? 0) + failedLater,
    skipped: states.skipped ?? 0,
    cancelled: states.cancelled ?? 0,
    uncounted: Math.max(0, (bucket.uncounted_due ?? 0) - failedLater) + (bucket.unended ?? 0),
  };
};

/** Series of runs by outcome: the start of each step in seconds, and one list of counts an outcome that occurs. */
export const outcomeChart = (statistics) => {
  const steps = statistics.buckets.map(outcomesOf);
  const series = OUTCOMES.filter(({ key }, at) => at < 2 || steps.some((step) => step[key] > 0));
  return {
    at: statistics.buckets.map((bucket) => Date.parse(bucket.from_at) / 1_000),
    series: series.map((each) => ({ ...each, values: steps.map((step) => step[each.key]) })),
  };
};

/** Series of lag: null where no first call was counted. */
export const lagChart = (statistics) => ({
  at: statistics.buckets.map((bucket) => Date.parse(bucket.from_at) / 1_000),
  series: [
    { key: 'p50', label: 'half began within', kind: 'accent', values: lags(statistics, 'p50_ms') },
    { key: 'p99', label: '99 of 100 began within', kind: 'wait', values: lags(statistics, 'p99_ms') },
  ],
});

const lags = (statistics, member) => statistics.buckets.map((bucket) => bucket.lag[member]);

/** The sums of all steps, by outcome. */
export const totals = (statistics) =>
  statistics.buckets.map(outcomesOf).reduce(
    (sums, step) => Object.fromEntries(Object.entries(sums).map(([key, sum]) => [key, sum + step[key]])),
    { succeeded: 0, failed: 0, skipped: 0, cancelled: 0, uncounted: 0 },
  );

/** How many runs ended, and how. */
export const outcomeSentence = (statistics, name) => {
  const sums = totals(statistics);
  const { words } = RANGES[rangeName(name)];
  const ended = sums.succeeded + sums.failed + sums.skipped + sums.cancelled;
  if (ended + sums.uncounted === 0) return `No run was due in ${words}.`;
  const parts = [
    statistics.by === 'minute' ? `${count(sums.succeeded)} without failure` : `${count(sums.succeeded)} succeeded`,
    `${count(sums.failed)} failed`,
    ...['skipped', 'cancelled'].filter((key) => sums[key] > 0).map((key) => `${count(sums[key])} ${key}`),
  ];
  const later = sums.uncounted > 0 ? ` ${count(sums.uncounted)} more ${sums.uncounted === 1 ? 'was' : 'were'} due; how they ended is not counted yet.` : '';
  return `${runs(ended)} ended in ${words}: ${parts.join(', ')}.${later}`;
};

/** How late the first calls were. */
export const lagSentence = ({ total }, name) => {
  const { count: calls, p50_ms: half, p99_ms: most } = total.lag;
  if (calls === 0) return `Lag is counted with its hour: no call of ${RANGES[rangeName(name)].words} is counted yet.`;
  return `Half of ${count(calls)} first calls began within ${duration(half)} of their due time, 99 of 100 within ${duration(most)}.`;
};

/** `complete_until` in words: up to when the counts cannot change any more. */
export const completeSentence = ({ complete_until: until, until_at: end, buckets }, zone) => {
  if (until !== null && until === end) return 'The counts are complete.';
  const rest = 'Later steps are counted some minutes after their hour has ended.';
  const isUnknown = buckets.some((bucket) => bucket.uncounted_due === null);
  const more = isUnknown ? ' Too many runs are due since then to count them one by one.' : '';
  if (until === null) return `No step of this range is complete yet. ${rest}${more}`;
  return `The counts are complete until ${instant(until, zone).text}. ${rest}${more}`;
};

/** Failures by job and reason, the latest first, each with the filter of the dead letters behind it. */
export const groupFailures = (failures) => {
  const groups = new Map();
  for (const failure of failures) {
    const reason = reasonOf(failure);
    const key = `${failure.job_id} ${reason}`;
    const group = groups.get(key);
    if (group) group.count += 1;
    else groups.set(key, newGroup(key, failure, reason));
  }
  return [...groups.values()];
};

const newGroup = (key, failure, reason) => ({
  key,
  reason,
  count: 1,
  jobId: failure.job_id,
  name: failure.name,
  latestId: failure.id,
  latestAt: failure.due_at,
  query: { job: failure.job_id, ...reasonFilter(failure) },
});

/** Why an execution failed, in a few words: the answer of its receiver, or what prevented one. */
export const reasonOf = ({ last_status: status, last_reason: reason, end_reason: end }) => {
  if (status !== null && status !== undefined) return `HTTP ${status}`;
  return (reason ?? end ?? 'unknown').replaceAll('_', ' ');
};

/** The filter of dead letters that failed for the same reason. */
export const reasonFilter = ({ last_status: status, last_reason: reason, end_reason: end }) => {
  if (status !== null && status !== undefined) return { status: String(status) };
  return reason || end ? { reason: reason ?? end } : {};
};

/** Cells of a strip: the counts with a level from 0 (none) to 4 (the most). */
export const heat = (steps) => {
  const most = Math.max(1, ...steps.map((step) => step.count));
  return steps.map(({ at, count: runsOf }) => ({
    at,
    count: runsOf,
    level: runsOf === 0 ? 0 : Math.max(1, Math.ceil((4 * runsOf) / most)),
  }));
};

/** What the next hours bring. */
export const densitySentence = ({ steps, complete, estimated, until }, zone) => {
  const sum = steps.reduce((all, step) => all + step.count, 0);
  const busiest = steps.reduce((most, step) => (step.count > most.count ? step : most), { count: 0 });
  const end = complete ? '' : ` Counted until ${instant(until, zone).text}; further runs are not in the strip.`;
  if (sum === 0 && estimated) return `No run is planned in the next 6 hours, by a sample.${end}`;
  if (sum === 0) return `No run is planned in the next 6 hours.${end}`;
  const peak = `the busiest quarter of an hour has ${count(busiest.count)}, from ${instant(busiest.at, zone).text}`;
  return `${estimated ? 'About ' : ''}${runs(sum)} in the next 6 hours; ${peak}.${end}`;
};

/** Jobs that were paused because their receiver answered 410. */
export const pausedByReceiver = (jobs) => jobs.filter((job) => job.no_next_run === GONE);

/** How many jobs were found that their receivers paused; `hasMore` where further paused jobs were not looked at. */
export const pausedSentence = (found, hasMore) => {
  if (found === 0) return hasMore ? 'No job that was looked at is paused by its receiver.' : 'No job is paused by its receiver.';
  return `${plural(found, 'job')}${hasMore ? ' or more' : ''} paused by the receiver.`;
};

const runs = (n) => `${count(n)} ${n === 1 ? 'run' : 'runs'}`;
