// A part of a page that has an answer of its own.
import { html } from '../lib/dom.js';
import { Pending, Problem } from './basics.js';

/**
 * Draws a part as soon as its answer is there, whatever becomes of the other parts. Its place is kept from the start,
 * so that nothing moves when it comes.
 *
 * @param {string} label what the part shows
 * @param {string} size a class of the style sheet, which keeps the place: part-<size>
 * @param {{value: any, error: any, reload: () => Promise<void>}} polled a value of usePolled
 * @param {(value: any) => any} children draws the value
 */
export function Part({ label, size, polled, children }) {
  const { value, error, reload } = polled;
  const isKept = value !== undefined;
  return html`<section class="part part-${size}" aria-label=${label}>
    ${isKept && children(value)}
    ${isKept ? error && html`<${Problem} error=${error} retry=${reload} />` : html`<${Pending} polled=${polled} />`}
  </section>`;
}
