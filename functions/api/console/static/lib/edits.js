// What is typed over values that another request may change meanwhile. No answer of the API takes typed text away.
import { useState } from './dom.js';

/**
 * Fields of text over `present`, the values of the API.
 *
 * @param {Record<string, string>} present
 * @returns {{texts: Record<string, string>, changes: Record<string, string>, rivals: Record<string, string>,
 *   edit: (name: string, text: string) => void, saved: () => void}} `texts` are shown, `changes` are those that differ
 *   from `present`, and `rivals` what another request has set in place of what was there when the typing began.
 *   `saved` says that the changes have taken effect; the next values of the API then count again.
 */
export function useEdits(present) {
  const [edits, setEdits] = useState({});
  return {
    ...shownOf(edits, present),
    edit: (name, text) => setEdits((before) => edited(before, present, name, text)),
    saved: () => setEdits((before) => settled(before)),
  };
}

/** {texts, changes, rivals} of edits {text, base, isSaved} by name. */
export function shownOf(edits, present) {
  const texts = {};
  const changes = {};
  const rivals = {};
  for (const [name, now] of Object.entries(present)) {
    const { text, base, isSaved } = edits[name] ?? { text: now, base: now, isSaved: false };
    // A saved text is shown until the API answers with it, or with a later one.
    texts[name] = isSaved && now !== base ? now : text;
    if (!isSaved && text !== now) changes[name] = text;
    if (!isSaved && now !== base && now !== text) rivals[name] = now;
  }
  return { texts, changes, rivals };
}

/** The edits after `text` was typed into a field. */
export function edited(edits, present, name, text) {
  const before = edits[name];
  const base = before && !before.isSaved ? before.base : shownOf(edits, present).texts[name];
  return { ...edits, [name]: { text, base, isSaved: false } };
}

/** The edits after all of them took effect. */
export function settled(edits) {
  return Object.fromEntries(Object.entries(edits).map(([name, edit]) => [name, { ...edit, isSaved: true }]));
}
