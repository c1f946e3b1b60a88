// Triggers in words.
import { count } from './format.js';

/** The pattern in the lines of indented JSON, with short arrays in one line. */
export function patternLines(pattern) {
  return lines(pattern, '');
}

/** When a trigger starts a run, in words. A trigger that is still typed may have no longest wait yet. */
export function startsOf(trigger) {
  const parts = [];
  if (trigger.debounce_seconds) {
    parts.push(`${trigger.debounce_seconds} s after the last event`);
    if (trigger.debounce_max_seconds) parts.push(`at most ${trigger.debounce_max_seconds} s after the first`);
  } else {
    parts.push(trigger.delay_seconds ? `${trigger.delay_seconds} s after the event` : 'at once');
  }
  if (trigger.throttle) parts.push(`at most ${count(trigger.throttle.count)} in ${trigger.throttle.per_seconds} s`);
  return parts.join(', ');
}

/** {kind, word, run}: whether its throttle lets another run start now; `run` is the latest run that events share, or null. */
export function stateOf(trigger, nowMs) {
  const until = trigger.throttled_until ? Date.parse(trigger.throttled_until) : 0;
  const isFull = until > nowMs;
  return { kind: isFull ? 'wait' : 'ok', word: isFull ? 'throttled' : 'active', run: trigger.latest_run ?? null };
}

function lines(value, indent) {
  if (Array.isArray(value) || value === null || typeof value !== 'object') return JSON.stringify(value);
  const inner = `${indent}  `;
  const members = Object.entries(value).map(([name, each]) => `${inner}${JSON.stringify(name)}: ${lines(each, inner)}`);
  return `{\n${members.join(',\n')}\n${indent}}`;
}
