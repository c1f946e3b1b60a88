// Small parts that every page uses.
import { cloneElement, html, useEffect, useId, useState } from '../lib/dom.js';
import { adviceOn, requestId } from '../lib/advice.js';
import { ago, instant } from '../lib/format.js';

/** Shapes in a box of 16 by 16, by the kind of a state: no state is told by its colour alone. */
export const SHAPES = {
  ok: html`<circle cx="8" cy="8" r="6" />`,
  failed: html`<path d="M3 3 L13 13 M13 3 L3 13" class="stroke" />`,
  wait: html`<path d="M8 1.5 L14.5 8 L8 14.5 L1.5 8 Z" />`,
  running: html`<path d="M3 2 L14 8 L3 14 Z" />`,
  paused: html`<path d="M3 2 H6.5 V14 H3 Z M9.5 2 H13 V14 H9.5 Z" />`,
  muted: html`<path d="M2 8 H14" class="stroke" />`,
  warning: html`<path d="M8 1.5 L15 14.5 H1 Z" />`,
};

/** A state as shape, word and colour. `kind`: ok, failed, wait, running, paused, muted or warning. */
export function State({ kind, word }) {
  return html`<span class="state ${kind}"><svg viewBox="0 0 16 16" aria-hidden="true">${SHAPES[kind]}</svg>${word}</span>`;
}

/** The frame of a page: its heading, which gets the focus when the page opens, its acts, and what is live. */
export function Page({ title, actions, polled, children }) {
  useEffect(() => {
    document.title = `${title} · Punctual`;
  }, [title]);
  return html`
    <header class="page-head">
      <h1 tabindex="-1">${title}</h1>
      ${polled && html`<${Live} polled=${polled} />`}
      ${actions && html`<div class="actions">${actions}</div>`}
    </header>
    ${children}`;
}

/** How current a page is; `polled` is a value of usePolled. */
export function Live({ polled }) {
  const { isStale, isFinal, checkedAt, pauseMs, isLoading, reload } = polled;
  const live = isFinal ? 'Ended' : `Live, every ${Math.round((pauseMs || 5000) / 1000)} s`;
  const text = isStale ? `Not current: last answer ${ago(checkedAt)}` : live;
  return html`<p class="live ${isStale ? 'stale' : ''}">
    <span>${text}</span>
    <button type="button" class="quiet" onClick=${reload} aria-busy=${isLoading}>Refresh</button>
  </p>`;
}

/** An error in the API's own words, and what to do about it. `retry` is called by a button. */
export function Problem({ error, retry }) {
  const { title, detail, errors = [] } = error.problem ?? { title: 'The console failed', detail: String(error.message) };
  const id = requestId(error);
  const advice = error.problem ? adviceOn(error) : 'Load the page again.';
  return html`<div class="problem" role="alert">
    <p><strong>${title}</strong>${error.status > 0 && html` <span class="muted">(${error.status})</span>`}</p>
    ${detail && html`<p>${detail}</p>`}
    ${errors.length > 0 && html`<ul>
      ${errors.map((each) => html`<li><code>${each.pointer ?? each.parameter}</code>: ${each.detail}</li>`)}
    </ul>`}
    ${advice && html`<p>${advice}</p>`}
    ${id && html`<p class="muted">Request <code>${id}</code></p>`}
    ${retry && html`<button type="button" onClick=${retry}>Try again</button>`}
  </div>`;
}

/** What a page shows while `polled` has no value: the error, or that it loads; null when there is a value. */
export function Pending({ polled }) {
  if (polled.error) return html`<${Problem} error=${polled.error} retry=${polled.reload} />`;
  return polled.value === undefined ? html`<p class="muted" role="status">Loading …</p>` : null;
}

/** An empty page that teaches: what would be here, and the command that fills it. */
export function Empty({ title, children, command }) {
  return html`<section class="empty">
    <h2>${title}</h2>
    ${children}
    ${command && html`<pre><code>${command}</code></pre><${Copy} label="Copy the command" text=${command} />`}
  </section>`;
}

/** A button that copies `text`, a string or a function that makes it, and says so. */
export function Copy({ label, text }) {
  const [said, setSaid] = useState('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === 'function' ? text() : text);
      setSaid('Copied');
    } catch {
      setSaid('The browser refused to copy');
    }
    setTimeout(() => setSaid(''), 2_000);
  };
  return html`<span class="copy">
    <button type="button" class="quiet" onClick=${copy}>${label}</button>
    <span role="status" class="muted">${said}</span>
  </span>`;
}

/** A labelled control. `children` is one control (input, select, textarea), or a function of its attributes. */
export function Field({ label, hint, error, children }) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined;
  const attributes = { id, 'aria-describedby': described, 'aria-invalid': error ? 'true' : undefined };
  const control = typeof children === 'function' ? children(attributes) : cloneElement(children, attributes);
  return html`<div class="field">
    <label for=${id}>${label}</label>
    ${control}
    ${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
    ${error && html`<p class="error" id="${id}-error">${error}</p>`}
  </div>`;
}

/** How much of a limit is used, with its numbers in words. */
export function Meter({ label, value, max, text }) {
  return html`<span class="meter">
    <meter min="0" max=${max} value=${Math.min(value, max)} high=${max * 0.9} optimum="0" aria-label=${label}></meter>
    <span>${text}</span>
  </span>`;
}

/** An instant relative to now, with the exact one in the title: <Time iso=... />. `exact` shows the exact one. */
export function Time({ iso, zone, exact = false }) {
  const { text, title } = instant(iso, zone);
  if (!title) return html`<span>–</span>`;
  return html`<time datetime=${title} title=${exact ? title : `${text} (${title})`}>${exact ? text : ago(iso)}</time>`;
}

/** A button for an act. `why` says why the key or the state forbids it: the button then says that instead of acting.
 * The act of a button with the type submit is that of its form, which Enter in a field starts, too. */
export function Act({ label, onClick = () => {}, why = null, kind = '', isBusy = false, type = 'button' }) {
  const [isAsked, setIsAsked] = useState(false);
  const id = useId();
  const press = () => (why ? setIsAsked(true) : !isBusy && onClick());
  return html`<span class="act">
    <button type=${type} class=${kind} onClick=${press} aria-disabled=${why || isBusy ? 'true' : undefined}
      aria-describedby=${why ? id : undefined} aria-busy=${isBusy}>${label}</button>
    ${why && html`<span id=${id} class=${isAsked ? 'why' : 'hidden'} role="status">${why}</span>`}
  </span>`;
}
