// Short messages about what was done, with a way to undo it.
import { html, useEffect, useState } from '../lib/dom.js';

const EVENT = 'punctual:notice';
const SHOWN_MS = 8_000;

/** Show a message. `action` is {label, act}, such as an undo; a message with an action stays until it is closed. */
export function notify(text, { kind = 'ok', action = null } = {}) {
  document.dispatchEvent(new CustomEvent(EVENT, { detail: { id: crypto.randomUUID(), text, kind, action } }));
}

/** The place where messages are shown; the shell has one. */
export function Notices() {
  const [notices, setNotices] = useState([]);
  const close = (id) => setNotices((all) => all.filter((each) => each.id !== id));
  useEffect(() => {
    const add = ({ detail }) => {
      setNotices((all) => [...all, detail]);
      if (!detail.action) setTimeout(() => close(detail.id), SHOWN_MS);
    };
    document.addEventListener(EVENT, add);
    return () => document.removeEventListener(EVENT, add);
  }, []);
  const act = async ({ id, action }) => {
    close(id);
    try {
      await action.act();
    } catch (error) {
      notify(`${action.label} failed: ${error.message}`, { kind: 'failed' });
    }
  };
  return html`<div class="notices" role="status">
    ${notices.map((notice) => html`<p key=${notice.id} class="notice ${notice.kind}">
      <span>${notice.text}</span>
      ${notice.action && html`<button type="button" onClick=${() => act(notice)}>${notice.action.label}</button>`}
      <button type="button" class="quiet" onClick=${() => close(notice.id)} aria-label="Close the message">✕</button>
    </p>`)}
  </div>`;
}
