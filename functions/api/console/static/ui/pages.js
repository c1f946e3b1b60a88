// The pages of a list, whose cursor is in the address.
import { html } from '../lib/dom.js';
import { setQuery } from '../lib/route.js';

/** `cursor` is that of the page that is shown, if it is not the first, and `next` that of the page after it. */
export function Pages({ cursor, next }) {
  if (!cursor && !next) return null;
  return html`
    <nav class="pages" aria-label="Pages of the list">
      ${cursor && html`<button type="button" onClick=${() => setQuery({ cursor: null })}>First page</button>`}
      ${next && html`<button type="button" onClick=${() => setQuery({ cursor: next }, { replace: false })}>Next page</button>`}
    </nav>`;
}
