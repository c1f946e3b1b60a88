// The form of a trigger: its fields as text, and the body of PUT /v1/triggers/{name} that they stand for.
import { errorsAt, errorsOf } from './form_errors.js';
import { exactly, number } from './job_form.js';
import { patternLines } from './trigger_words.js';

/** When the run is due: at once, a while after each event, or once no further event comes. */
export const DELIVERIES = [
  ['now', 'at once'], ['delay', 'a while after the event'], ['debounce', 'once for several events, when no further one comes'],
];

/** The defaults of a new trigger. Every field is text. */
export const EMPTY = Object.freeze({
  name: '', pattern: '', jobId: '', delivery: 'now', delaySeconds: '', debounceSeconds: '', debounceMaxSeconds: '',
  throttleCount: '', throttleSeconds: '', set: '',
});

const POINTERS = {
  name: ['/name'], pattern: ['/pattern'], jobId: ['/job_id'], delaySeconds: ['/delay_seconds'],
  debounceMaxSeconds: ['/debounce_max_seconds'], debounceSeconds: ['/debounce_seconds'],
  throttleSeconds: ['/throttle/per_seconds'], throttleCount: ['/throttle'], set: ['/set'],
};
const NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** The form of a trigger as the API shows it. */
export function formOf(trigger) {
  const shown = (value) => (value ? String(value) : '');
  const { delay_seconds: delay, debounce_seconds: debounce, throttle } = trigger;
  return {
    ...EMPTY,
    name: trigger.name, pattern: patternLines(trigger.pattern), jobId: trigger.job_id, set: shown(trigger.set),
    delivery: debounce ? 'debounce' : delay ? 'delay' : 'now',
    delaySeconds: shown(delay), debounceSeconds: shown(debounce), debounceMaxSeconds: shown(trigger.debounce_max_seconds),
    throttleCount: shown(throttle?.count), throttleSeconds: shown(throttle?.per_seconds),
  };
}

/** {body, errors} of a form; `errors` are those that this machine finds, as {pointer, detail}. */
export function bodyOf(form) {
  const errors = [];
  const body = { job_id: form.jobId.trim() };
  if (!NAME.test(form.name.trim())) {
    errors.push({ pointer: '/name', detail: 'must be 1 to 63 lower-case letters, digits and hyphens, with no hyphen at either end' });
  }
  try {
    body.pattern = JSON.parse(form.pattern, exactly);
  } catch (error) {
    errors.push({ pointer: '/pattern', detail: `the pattern is not JSON: ${error.message}` });
  }
  if (form.delivery === 'delay') body.delay_seconds = number(form.delaySeconds);
  if (form.delivery === 'debounce') {
    body.debounce_seconds = number(form.debounceSeconds);
    if (form.debounceMaxSeconds.trim()) body.debounce_max_seconds = number(form.debounceMaxSeconds);
  }
  const [count, seconds] = [form.throttleCount.trim(), form.throttleSeconds.trim()];
  if (count || seconds) body.throttle = { count: number(count), per_seconds: number(seconds) };
  if (form.set.trim()) body.set = form.set.trim();
  return { body, errors };
}

/** The errors of an ApiError, in the pointers of the form; null where the error is about no field. */
export function fieldErrors(error) {
  if (error.kind === 'already-exists') {
    return [{ pointer: '/name', detail: 'a trigger has this name: choose another one, or edit that trigger' }];
  }
  return [400, 422].includes(error.status) ? errorsOf(error) : null;
}

/** {fields, rest}: errors by field, and the texts of those that belong to none. */
export const errorsByField = (errors) => errorsAt(POINTERS, errors);
