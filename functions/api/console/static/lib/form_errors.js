// Errors of the API, by the field of the form at which they are shown.

/** The JSON pointers of each field. An error below a pointer belongs to the same field. */
const POINTERS = {
  name: ['/name'], tags: ['/tags'], key: ['/key'], set: ['/set'],
  cron: ['/schedule/cron'], expression: ['/schedule/expression'], every: ['/schedule/rate_seconds'],
  at: ['/schedule/at'], delaySeconds: ['/schedule/delay_seconds'], timezone: ['/schedule/timezone'],
  startAt: ['/schedule/start_at'], endAt: ['/schedule/end_at'], maxRuns: ['/schedule/max_runs'],
  jitterSeconds: ['/schedule/jitter_seconds'], dstGap: ['/schedule/dst_gap'], dstOverlap: ['/schedule/dst_overlap'],
  calendar: ['/schedule/calendar'], whenExcluded: ['/schedule/when_excluded'], businessDay: ['/schedule/business_day'],
  workflow: ['/workflow'], url: ['/request/url'], audience: ['/request/auth'], method: ['/request/method'], headers: ['/request/headers'],
  body: ['/request/body', '/request/json'],
  lane: ['/lane'], timeoutSeconds: ['/timeout_seconds'], maxAttempts: ['/retry/max_attempts'],
  baseSeconds: ['/retry/base_seconds'], factor: ['/retry/factor'], capSeconds: ['/retry/cap_seconds'],
  delaysSeconds: ['/retry/delays_seconds'], giveUpAfterSeconds: ['/retry/give_up_after_seconds'],
  asyncDeadlineSeconds: ['/async_deadline_seconds'], heartbeatSeconds: ['/heartbeat_seconds'],
  signingSecret: ['/signing_secret'], onSuccess: ['/on_success'], onFailure: ['/on_failure'],
  catchUp: ['/catch_up'], catchUpLimit: ['/catch_up_limit'], catchUpWindowSeconds: ['/catch_up_window_seconds'],
  lateToleranceSeconds: ['/late_tolerance_seconds'], overlapPolicy: ['/overlap_policy'],
  startDeadlineSeconds: ['/start_deadline_seconds'], whenSuspended: ['/when_suspended'],
  alertEvents: ['/alerts/events'], alertLateSeconds: ['/alerts/late_after_seconds'], alertFormat: ['/alerts/format'],
  alertsUrl: ['/alerts'],
};
/** The field of each kind of schedule, for errors of the schedule as a whole. */
const OF_KIND = { cron: 'cron', expression: 'expression', rate: 'every', at: 'at', delay: 'delaySeconds' };

/**
 * @param {{pointer: string, detail: string}[]} errors as in a problem of the API
 * @param {string} kind the kind of the form
 * @returns {{fields: Record<string, string>, rest: string[]}} `rest` belongs to no field
 */
export function errorsByField(errors, kind) {
  return sorted(errors, (pointer) => (pointer === '/schedule' ? OF_KIND[kind] : fieldOf(pointer, POINTERS)));
}

/** The same for another form, whose fields have these pointers. */
export function errorsAt(pointers, errors) {
  return sorted(errors, (pointer) => fieldOf(pointer, pointers));
}

function sorted(errors, find) {
  const fields = {};
  const rest = [];
  for (const { pointer, detail } of errors) {
    const field = find(pointer);
    if (field) fields[field] = fields[field] ? `${fields[field]}; ${detail}` : detail;
    else rest.push(pointer ? `${pointer}: ${detail}` : detail);
  }
  return { fields, rest };
}

function fieldOf(pointer, pointers) {
  return Object.keys(pointers).find((field) => pointers[field].some(
    (each) => pointer === each || pointer.startsWith(`${each}/`),
  ));
}

/** The errors of an ApiError. One without a list of them, such as `schedule-in-past`, is about the whole body. */
export function errorsOf(error) {
  const errors = error.problem?.errors;
  return errors?.length ? errors : [{ pointer: '', detail: error.problem?.detail || error.problem?.title || error.message }];
}

/** The errors of a preview, whose pointers start inside the schedule. */
export function scheduleErrorsOf(error) {
  return errorsOf(error).map(({ pointer, detail }) => ({ pointer: `/schedule${pointer}`, detail }));
}
