// Texts that the user edits, and that another value may take the place of.
import { useState } from './dom.js';

/**
 * What the user has typed in the place of `value`, until the value changes; `key` tells one value from another.
 *
 * No effect sets the text: one that ran late, after the first letters were typed, would take them back.
 */
export function useTyped(value, key = value) {
  const [typed, setTyped] = useState({ key, text: value });
  return [typed.key === key ? typed.text : value, (text) => setTyped({ key, text })];
}
