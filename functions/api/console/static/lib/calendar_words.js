// Calendars in words.
import { formatter, plural } from './format.js';

/** What the names of the operators' calendars begin with. */
export const SHARED_PREFIX = 'operator/';

export const isShared = (name) => name.startsWith(SHARED_PREFIX);

/** 'Saturday and Sunday', 'that of DE', 'none': the days of each week that a calendar excludes. */
export function weekendWords({ weekend, country }) {
  if (weekend === null) return country === null ? 'Saturday and Sunday' : `that of ${country}`;
  return weekend.length ? joined(weekend.map((day) => day[0].toUpperCase() + day.slice(1))) : 'none';
}

/** What a calendar excludes, in one sentence. */
export function excludedWords(calendar) {
  const holidays = calendar.country ? `, and the holidays of ${calendar.country}` : '';
  return `Excluded in each week: ${weekendWords(calendar)}. Beside it: ${contentWords(calendar)}${holidays}.`;
}

/** '2 dates out, 1 date in, 3 windows'; '–' for a calendar that has none of them. */
export function contentWords({ dates_out: out, dates_in: within, blackouts }) {
  const parts = [
    out.length && `${plural(out.length, 'date')} out`, within.length && `${plural(within.length, 'date')} in`,
    blackouts.length && plural(blackouts.length, 'window'),
  ];
  return parts.filter(Boolean).join(', ') || '–';
}

/** [['2026', [{iso: '2026-12-24', words: 'Thu 24 Dec'}, ...]], ...] of dates in ascending order. */
export function datesByYear(dates) {
  const years = new Map();
  for (const iso of dates) {
    const year = iso.slice(0, 4);
    years.set(year, [...(years.get(year) ?? []), { iso, words: dayWords(iso) }]);
  }
  return [...years];
}

/** {kind, word} of a blackout window at an instant. It ends before `until`. */
export function windowState({ from, until }, nowMs) {
  if (nowMs >= Date.parse(until)) return { kind: 'muted', word: 'over' };
  return nowMs >= Date.parse(from) ? { kind: 'paused', word: 'now' } : { kind: 'wait', word: 'ahead' };
}

function dayWords(iso) {
  const options = { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' };
  return formatter(Intl.DateTimeFormat, options).format(Date.parse(`${iso}T00:00:00Z`)).replace(',', '');
}

function joined(words) {
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} and ${words.at(-1)}` : words[0];
}
