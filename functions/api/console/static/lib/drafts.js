// What was typed in a form whose session the API ended. It is in the memory of this page, and nowhere else.
//
// A draft may have headers and a body, so it is never stored. It is for keys of the same tenant that may write, as
// the key had that typed it; the sign-in of any other key forgets it, and so does a sign-out by the user.
import { may, onSessionChange, session } from './session.js';

/** @type {{tenant: string, form: string, draft: object} | null} */
let held = null;

/** Keep the draft of a form for the next session; nothing is kept unless the API has just ended the session. */
export function hold(tenant, form, draft) {
  if (session.refusal !== null) held = { tenant, form, draft };
}

/** The draft of a form; null where none is kept for the key of the session. */
export function draftOf(form) {
  return session.whoami !== null && held?.form === form ? held.draft : null;
}

/** The form is closed: its draft is no longer needed, unless the API ended the session once more. */
export function release(form) {
  if (session.refusal === null && held?.form === form) held = null;
}

/** Whether a draft waits for the next session. */
export function isHeld() {
  return held !== null;
}

onSessionChange(() => {
  const isForKey = session.whoami?.tenant === held?.tenant && may('write');
  const isOver = session.whoami === null ? session.refusal === null : !isForKey;
  if (isOver) held = null;
});
