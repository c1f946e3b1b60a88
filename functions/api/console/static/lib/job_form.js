// The form of a job: its fields as text, and the documents of the API that they stand for.
import { isEqual } from './job_patch.js';

const UNITS = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 };
/** The kinds of the form; `expression` is EventBridge's notation. */
export const KINDS = ['cron', 'rate', 'at', 'delay', 'expression'];
export const RATE_UNITS = Object.keys(UNITS);
/** Kinds that run once: a job cannot change from one of them to one of the others. */
export const ONCE_KINDS = ['at', 'delay'];
const ZONED = ['cron', 'at', 'expression'];
/** What a job can announce, and when it does. In the order of the API. */
export const ALERT_EVENTS = [
  { name: 'failed', words: 'a run has failed for good' },
  { name: 'recovered', words: 'a run succeeds after such a failure' },
  { name: 'late', words: 'a run begins late' },
  { name: 'skipped', words: 'a run is skipped' },
  { name: 'gone', words: 'the receiver answers 410, that it is gone' },
];
/** The URL of a job, or of its alerts, that calls nothing. */
const NO_URL = 'none';

/** The defaults of a new job. Every field is text, except `headers`, `alertEvents` and the switches. */
export const EMPTY = Object.freeze({
  name: '', tags: '', key: '', set: '',
  kind: 'cron', cron: '', expression: '', timezone: 'UTC', at: '', delaySeconds: '', every: '', unit: 'minutes',
  startAt: '', endAt: '', maxRuns: '', jitterSeconds: '0', dstGap: '', dstOverlap: '',
  calendar: '', whenExcluded: '', businessDay: '',
  target: '', workflow: '', method: 'POST', url: '', audience: '', headers: Object.freeze([]), bodyKind: 'none', body: '',
  lane: 'standard', timeoutSeconds: '30', retryKind: 'backoff', maxAttempts: '5', baseSeconds: '10', factor: '2',
  capSeconds: '3600', delaysSeconds: '', giveUpAfterSeconds: '',
  asyncDeadlineSeconds: '3600', heartbeatSeconds: '60', signingSecret: '', onSuccess: '', onFailure: '',
  catchUp: 'coalesce', catchUpLimit: '100', catchUpWindowSeconds: '86400', lateToleranceSeconds: '60',
  overlapPolicy: 'allow', startDeadlineSeconds: '', whenSuspended: 'skip',
  alertsKind: 'default', alertsUrl: '', alertEvents: Object.freeze(['failed']), alertLateSeconds: '', alertFormat: 'json',
});

/** The form of a new job like this one. Its key and its set stay with the other job; headers and body are not known. */
export function copyOf(job) {
  return { ...formOf(job), key: '', set: '', bodyKind: 'none' };
}

/** The form of a job as `GET /v1/jobs/{id}` shows it. Headers and body are not known: the body is kept. */
export function formOf(job) {
  const shown = (value) => (value === null || value === undefined ? '' : String(value));
  const { retry } = job;
  return {
    ...EMPTY,
    ...scheduleFields(job.schedule, shown),
    name: shown(job.name), tags: job.tags.join(', '), key: shown(job.key), set: shown(job.set),
    ...callFields(job, shown),
    lane: job.lane, timeoutSeconds: shown(job.timeout_seconds),
    retryKind: retry.delays_seconds ? 'table' : 'backoff',
    delaysSeconds: (retry.delays_seconds ?? []).join(', '),
    maxAttempts: shown(retry.delays_seconds ? EMPTY.maxAttempts : retry.max_attempts),
    baseSeconds: shown(retry.base_seconds ?? EMPTY.baseSeconds), factor: shown(retry.factor ?? EMPTY.factor),
    capSeconds: shown(retry.cap_seconds ?? EMPTY.capSeconds),
    giveUpAfterSeconds: shown(retry.give_up_after_seconds),
    asyncDeadlineSeconds: shown(job.async_deadline_seconds), heartbeatSeconds: shown(job.heartbeat_seconds),
    signingSecret: shown(job.signing_secret), onSuccess: shown(job.on_success), onFailure: shown(job.on_failure),
    catchUp: job.catch_up ?? EMPTY.catchUp, catchUpLimit: shown(job.catch_up_limit ?? EMPTY.catchUpLimit),
    catchUpWindowSeconds: shown(job.catch_up_window_seconds ?? EMPTY.catchUpWindowSeconds),
    lateToleranceSeconds: shown(job.late_tolerance_seconds ?? EMPTY.lateToleranceSeconds),
    overlapPolicy: job.overlap_policy ?? EMPTY.overlapPolicy,
    startDeadlineSeconds: shown(job.start_deadline_seconds),
    whenSuspended: job.when_suspended ?? EMPTY.whenSuspended,
    ...alertFields(job.alerts, shown),
  };
}

/** A job with a target in AWS has no request: the form shows the target, and leaves it as it is. */
function callFields(job, shown) {
  if (job.target) return { target: targetWords(job.target), bodyKind: 'keep' };
  if (job.workflow) return { workflow: job.workflow };
  const { method, url, auth } = job.request;
  return { method, url: shown(url), audience: shown(auth?.oidc?.audience), signedBy: auth?.sigv4, bodyKind: 'keep' };
}

/** The service and the ARN of a target, such as `sqs arn:aws:sqs:…`. */
export function targetWords(target) {
  const [[service, { arn }]] = Object.entries(target);
  return `${service} ${arn}`;
}

const TARGET_ROWS = {
  message_group_id: 'Message group', invocation_type: 'Invocation', source: 'Source', detail_type: 'Detail type',
};

/** What a target has beside its ARN, as pairs of a label and a text. */
export function targetRows(target) {
  const [members] = Object.values(target ?? { none: {} });
  return Object.entries(TARGET_ROWS).map(([name, label]) => [label, members[name]]);
}

function alertFields(alerts, shown) {
  if (!alerts) return {};
  if (alerts.url === NO_URL) return { alertsKind: 'none' };
  return {
    alertsKind: 'own', alertsUrl: alerts.url, alertEvents: alerts.events, alertFormat: alerts.format,
    alertLateSeconds: shown(alerts.late_after_seconds),
  };
}

function scheduleFields(schedule, shown) {
  const common = {
    timezone: schedule.timezone ?? 'UTC', startAt: shown(schedule.start_at), endAt: shown(schedule.end_at),
    maxRuns: shown(schedule.max_runs), jitterSeconds: shown(schedule.jitter_seconds ?? 0),
    dstGap: shown(schedule.dst_gap), dstOverlap: shown(schedule.dst_overlap),
    calendar: shown(schedule.calendar), whenExcluded: shown(schedule.when_excluded),
    businessDay: shown(schedule.business_day),
  };
  if (schedule.cron !== undefined) return { ...common, kind: 'cron', cron: schedule.cron };
  if (schedule.expression !== undefined) return { ...common, kind: 'expression', expression: schedule.expression };
  if (schedule.rate_seconds !== undefined) return { ...common, kind: 'rate', ...rateFields(schedule.rate_seconds) };
  return { ...common, kind: 'at', at: shown(schedule.at).replace('.000Z', '').replace('Z', '') };
}

function rateFields(seconds) {
  const unit = RATE_UNITS.findLast((name) => seconds % UNITS[name] === 0);
  return { every: String(seconds / UNITS[unit]), unit };
}

/** The `schedule` of the form, as the preview takes it; null where the field of the kind is still empty. */
export function scheduleOf(form) {
  const schedule = kindOf(form);
  if (schedule === null) return null;
  if (ZONED.includes(form.kind) && form.timezone) schedule.timezone = form.timezone;
  if (Number(form.jitterSeconds) !== 0) schedule.jitter_seconds = number(form.jitterSeconds);
  if (ONCE_KINDS.includes(form.kind)) return schedule;
  if (form.startAt) schedule.start_at = form.startAt;
  if (form.endAt) schedule.end_at = form.endAt;
  if (form.maxRuns) schedule.max_runs = number(form.maxRuns);
  if (form.kind === 'rate') return schedule;
  if (form.dstGap) schedule.dst_gap = form.dstGap;
  if (form.dstOverlap) schedule.dst_overlap = form.dstOverlap;
  if (form.calendar.trim()) schedule.calendar = form.calendar.trim();
  if (form.whenExcluded) schedule.when_excluded = form.whenExcluded;
  if (form.businessDay) schedule.business_day = number(form.businessDay);
  return schedule;
}

function kindOf(form) {
  switch (form.kind) {
    case 'cron': return form.cron.trim() ? { cron: form.cron.trim() } : null;
    case 'expression': return form.expression.trim() ? { expression: form.expression.trim() } : null;
    case 'rate': return form.every ? { rate_seconds: rateSeconds(form) } : null;
    case 'delay': return form.delaySeconds ? { delay_seconds: number(form.delaySeconds) } : null;
    default: return form.at ? { at: /T\d\d:\d\d$/.test(form.at) ? `${form.at}:00` : form.at } : null;
  }
}

function rateSeconds(form) {
  const every = number(form.every);
  return typeof every === 'number' ? every * UNITS[form.unit] : every;
}

/** A whole number; any other text as it is, so that the API says at the field what it takes. */
export function number(text) {
  return /^-?\d{1,15}$/.test(text.trim()) ? Number(text) : text;
}

/**
 * The whole document of a job, and the errors that only this machine can find.
 *
 * @returns {{document: object, errors: {pointer: string, detail: string}[]}} `request` has `headers` and a body only
 *   where the form sets them; a header that is to be removed is null.
 */
export function documentOf(form) {
  const isOnce = ONCE_KINDS.includes(form.kind);
  const { called, errors } = form.workflow.trim()
    ? { called: { workflow: form.workflow.trim() }, errors: [] }
    : calledOf(form);
  const document = {
    name: form.name || null,
    tags: words(form.tags),
    schedule: scheduleOf(form) ?? {},
    ...called,
    lane: form.lane,
    signing_secret: form.signingSecret || null,
    on_success: form.onSuccess || null,
    on_failure: form.onFailure || null,
    alerts: alertsOf(form),
    ...(isOnce ? onceMembers(form) : recurringMembers(form)),
  };
  return { document, errors };
}

/** A request, with the members that a job which starts a workflow does not have. */
function calledOf(form) {
  const { request, errors } = form.target ? { errors: [] } : requestOf(form);
  const called = {
    ...(request ? { request } : {}),
    timeout_seconds: number(form.timeoutSeconds),
    retry: retryOf(form),
    async_deadline_seconds: number(form.asyncDeadlineSeconds),
    heartbeat_seconds: number(form.heartbeatSeconds),
  };
  return { called, errors };
}

const onceMembers = (form) => ({
  start_deadline_seconds: form.startDeadlineSeconds ? number(form.startDeadlineSeconds) : null,
  when_suspended: form.whenSuspended,
});

const recurringMembers = (form) => ({
  catch_up: form.catchUp,
  catch_up_limit: number(form.catchUpLimit),
  catch_up_window_seconds: number(form.catchUpWindowSeconds),
  late_tolerance_seconds: number(form.lateToleranceSeconds),
  overlap_policy: form.overlapPolicy,
});

/** The `alerts` of a job: null for those of its tenant. */
function alertsOf(form) {
  if (form.alertsKind === 'default') return null;
  if (form.alertsKind === 'none') return { url: NO_URL };
  const events = ALERT_EVENTS.map(({ name }) => name).filter((name) => form.alertEvents.includes(name));
  const late = events.includes('late') ? { late_after_seconds: number(form.alertLateSeconds) } : {};
  return { url: form.alertsUrl.trim(), events, format: form.alertFormat, ...late };
}

function retryOf(form) {
  const own = form.retryKind === 'table'
    ? { delays_seconds: words(form.delaysSeconds).map(number) }
    : {
      max_attempts: number(form.maxAttempts), base_seconds: number(form.baseSeconds), factor: number(form.factor),
      cap_seconds: number(form.capSeconds),
    };
  return form.giveUpAfterSeconds ? { ...own, give_up_after_seconds: number(form.giveUpAfterSeconds) } : own;
}

/** The form leaves a signature for AWS as it is, until the request has an identity token. */
function authOf(audience, signedBy) {
  if (audience) return { oidc: { audience } };
  return signedBy ? { sigv4: signedBy } : null;
}

function requestOf(form) {
  const audience = form.audience.trim();
  const request = { method: form.method, url: form.url.trim(), auth: authOf(audience, form.signedBy) };
  const errors = [];
  const headers = form.headers.filter((header) => header.name.trim());
  if (headers.length) {
    request.headers = Object.fromEntries(
      headers.map(({ name, value, isRemoved }) => [name.trim(), isRemoved ? null : value]),
    );
  }
  if (form.bodyKind === 'text') request.body = form.body;
  if (form.bodyKind === 'none') request.body = null;
  if (form.bodyKind === 'json') {
    try {
      request.json = JSON.parse(form.body, exactly);
    } catch (error) {
      errors.push({ pointer: '/request/json', detail: `the body is not JSON: ${error.message}` });
    }
  }
  return { request, errors };
}

/** A reviver that refuses numbers which this browser cannot keep exactly. */
export function exactly(_, value, context) {
  // A number beyond the range of doubles is infinite here, and would be sent as null.
  const isLost = typeof value === 'number' && (Number.isInteger(value) ? !Number.isSafeInteger(value) : !Number.isFinite(value));
  if (isLost) throw new Error(`${context?.source ?? value} has too many digits for a browser: write it as text`);
  return value;
}

/** The words of a field, which commas or blanks separate. */
export function words(text) {
  return text.split(/[\s,]+/).filter(Boolean);
}

/** The body of a creation: what equals a default is left out, and so is what the API sets by itself. */
export function creationOf(form) {
  const { document, errors } = documentOf(form);
  const usual = documentOf({ ...EMPTY, kind: form.kind }).document;
  const kept = Object.entries(document).filter(
    ([name, value]) => name === 'schedule' || name === 'request' || !isEqual(value, usual[name]),
  );
  const body = Object.fromEntries(kept);
  for (const name of ['body', 'auth']) if (body.request?.[name] === null) body.request = withoutMember(body.request, name);
  if (form.set && form.key) body.set = form.set;
  return { body, errors };
}

function withoutMember(object, name) {
  return Object.fromEntries(Object.entries(object).filter(([each]) => each !== name));
}

/** The names of the fields in which two forms differ. */
export function changedFields(before, after) {
  return Object.keys(EMPTY).filter((name) => !isEqual(before[name], after[name]));
}

/** The changes from `before` to `mine`, applied to `theirs`. */
export function rebased(before, mine, theirs) {
  const changed = changedFields(before, mine).map((name) => [name, mine[name]]);
  return { ...theirs, ...Object.fromEntries(changed) };
}
