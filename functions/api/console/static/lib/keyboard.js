// Keys of one character. They can be switched off, because they get in the way of speech input.

const STORED_CHOICE = 'punctual.shortcuts';
/** How long a page may be named after `g`. */
export const PREFIX_MS = 1_500;
/** The page that opens after `g` and the key. */
export const PAGE_KEYS = {
  o: 'overview', j: 'jobs', n: 'newJob', d: 'dead', w: 'workflows', t: 'triggers', c: 'calendars', u: 'upcoming', k: 'usage', p: 'operator', a: 'account',
};
/** All keys, for the help. */
export const KEYS = [
  ['/', 'Move to the search'],
  ['j', 'Next row'],
  ['k', 'Previous row'],
  ['x', 'Choose the row'],
  ['Enter', 'Open the row'],
  ['?', 'Show or hide this help'],
];

/** Whether keys of one character do something; the choice is kept in this browser. */
export function areShortcutsOn(storage = globalThis.localStorage) {
  return storage.getItem(STORED_CHOICE) !== 'off';
}

/** Switch the keys on or off. */
export function setShortcuts(isOn, storage = globalThis.localStorage) {
  storage.setItem(STORED_CHOICE, isOn ? 'on' : 'off');
}

/**
 * What a key means: {act, page?}; `act` is 'search', 'next', 'previous', 'choose', 'help', 'prefix', 'go' or null.
 *
 * @param {{key: string, ctrlKey: boolean, metaKey: boolean, altKey: boolean, isTyping: boolean}} pressed
 * @param {boolean} isAfterPrefix whether `g` was pressed a moment ago
 */
export function meaning(pressed, isAfterPrefix) {
  if (pressed.isTyping || pressed.ctrlKey || pressed.metaKey || pressed.altKey) return { act: null };
  if (isAfterPrefix) {
    const page = Object.hasOwn(PAGE_KEYS, pressed.key) ? PAGE_KEYS[pressed.key] : null;
    return page ? { act: 'go', page } : { act: null };
  }
  return { act: Object.hasOwn(ACTS, pressed.key) ? ACTS[pressed.key] : null };
}

/** The index of the row to move to; -1 is no row. */
export function rowAfter(current, step, rows) {
  if (rows === 0) return -1;
  if (current < 0) return step > 0 ? 0 : rows - 1;
  return Math.min(Math.max(current + step, 0), rows - 1);
}

const ACTS = { '/': 'search', j: 'next', k: 'previous', x: 'choose', g: 'prefix', '?': 'help' };
