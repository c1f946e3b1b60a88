// Questions in front of the page.
import { useAttempt } from '../lib/attempt.js';
import { html, useEffect, useId, useRef, useState } from '../lib/dom.js';
import { Problem } from './basics.js';

/** A dialog that is open as long as it is drawn. Escape and the close button call `onClose`. */
export function Dialog({ title, children, onClose }) {
  const element = useRef(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    element.current.showModal();
    return () => before?.focus?.();
  }, []);
  const cancel = (event) => {
    event.preventDefault();
    onClose();
  };
  return html`<dialog ref=${element} aria-labelledby=${id} onCancel=${cancel}>
    <header><h2 id=${id}>${title}</h2>
      <button type="button" class="quiet" onClick=${onClose} aria-label="Close">✕</button></header>
    ${children}
  </dialog>`;
}

/**
 * A button that asks before it acts.
 *
 * `act` returns a promise; its error is shown in the dialog, which stays open. It must not wait for an answer that shows
 * what it did: behind the dialog no field takes what is typed, while that answer is slow. `why` says why the act is forbidden.
 * `typed` is a text that has to be typed first, for acts on many things. `act` gets the value that `seen` had when the dialog
 * was opened, such as an ETag: the page behind it asks again meanwhile, and what came since has not been looked at.
 */
export function ConfirmButton({ label, title = label, children, act, why = null, kind = '', typed = null, seen = null }) {
  const [isOpen, setIsOpen] = useState(false);
  const [isAsked, setIsAsked] = useState(false);
  const id = useId();
  const press = () => (why ? setIsAsked(true) : setIsOpen(true));
  return html`<span class="act">
    <button type="button" class=${kind} onClick=${press} aria-disabled=${why ? 'true' : undefined}
      aria-describedby=${why ? id : undefined}>${label}</button>
    ${why && html`<span id=${id} class=${isAsked ? 'why' : 'hidden'} role="status">${why}</span>`}
    ${isOpen && html`<${Confirmation} ...${{ label, title, act, kind, typed, seen }} onClose=${() => setIsOpen(false)}>${children}<//>`}
  </span>`;
}

function Confirmation({ label, title, children, act, kind, typed, seen, onClose }) {
  const [first] = useState(seen);
  const { isBusy, error, attempt } = useAttempt();
  const [text, setText] = useState('');
  const isReady = typed === null || text.trim() === typed;
  const confirm = (event) => {
    event.preventDefault();
    if (!isReady) return;
    attempt(async () => {
      await act(first);
      onClose();
    });
  };
  return html`<${Dialog} title=${title} onClose=${onClose}>
    <form onSubmit=${confirm}>
      ${children}
      ${typed !== null && html`<label class="typed">Type <code>${typed}</code> to confirm
        <input value=${text} onInput=${(event) => setText(event.target.value)} autocomplete="off" /></label>`}
      ${error && html`<${Problem} error=${error} />`}
      <div class="actions">
        <button type="submit" class=${kind || 'primary'} disabled=${!isReady} aria-busy=${isBusy}>${label}</button>
        <button type="button" onClick=${onClose}>Cancel</button>
      </div>
    </form>
  <//>`;
}
