// The form of a calendar: its fields, and the body of PUT /v1/calendars/{calendar} that they stand for.
import { errorsAt, errorsOf } from './form_errors.js';
import { words } from './job_form.js';

export const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

/** The defaults of a new calendar. Dates and instants are text; `weekend` counts if the weekend is the calendar's own. */
export const EMPTY = Object.freeze({
  name: '', country: '', weekendKind: 'usual', weekend: [], datesOut: '', datesIn: '', blackouts: [], set: '',
});

const POINTERS = {
  name: ['/name'], country: ['/country'], weekend: ['/weekend'], datesOut: ['/dates_out'], datesIn: ['/dates_in'],
  blackouts: ['/blackouts'], set: ['/set'],
};
const NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** The form of a calendar as the API shows it. */
export function formOf(calendar) {
  const instant = (iso) => iso.replace('.000Z', 'Z');
  return {
    name: calendar.name, country: calendar.country ?? '', set: calendar.set ?? '',
    weekendKind: calendar.weekend === null ? 'usual' : 'own', weekend: calendar.weekend ?? [],
    datesOut: calendar.dates_out.join('\n'), datesIn: calendar.dates_in.join('\n'),
    blackouts: calendar.blackouts.map(({ from, until, reason }) => ({ from: instant(from), until: instant(until), reason })),
  };
}

/** {body, errors} of a form; `errors` are those that this machine finds, as {pointer, detail}. */
export function bodyOf(form) {
  const errors = [];
  if (!NAME.test(form.name.trim())) {
    errors.push({ pointer: '/name', detail: 'must be 1 to 63 lower-case letters, digits and hyphens, with no hyphen at either end' });
  }
  const body = {
    country: form.country.trim() || null,
    weekend: form.weekendKind === 'own' ? WEEKDAYS.filter((day) => form.weekend.includes(day)) : null,
    dates_out: datesOf(form.datesOut, '/dates_out', errors),
    dates_in: datesOf(form.datesIn, '/dates_in', errors),
    blackouts: form.blackouts.map(({ from, until, reason }) => ({ from: from.trim(), until: until.trim(), reason })),
  };
  body.blackouts.forEach(({ from, until }, index) => {
    if (!from || !until) errors.push({ pointer: '/blackouts', detail: `window ${index + 1} needs its first instant and its end: type them, or drop it` });
  });
  if (form.set.trim()) body.set = form.set.trim();
  return { body, errors };
}

/** The errors of an ApiError, in the pointers of the form; null where the error is about no field. */
export function fieldErrors(error) {
  if (error.kind === 'already-exists') {
    return [{ pointer: '/name', detail: 'a calendar has this name: choose another one, or edit that calendar' }];
  }
  return [400, 422].includes(error.status) ? errorsOf(error).map(withWindow) : null;
}

/** {fields, rest}: errors by field, and the texts of those that belong to none. */
export const errorsByField = (errors) => errorsAt(POINTERS, errors);

/** An error of a window says which one it is: all windows are one field. */
function withWindow({ pointer, detail }) {
  const number = /^\/blackouts\/(\d+)/.exec(pointer)?.[1];
  return { pointer, detail: number === undefined ? detail : `window ${Number(number) + 1}: ${detail.replace(/^blackouts: /, '')}` };
}

function datesOf(text, pointer, errors) {
  const dates = words(text);
  const wrong = dates.find((each) => !DATE.test(each));
  if (wrong !== undefined) errors.push({ pointer, detail: `${wrong} is no date, such as 2030-12-24` });
  return dates;
}
