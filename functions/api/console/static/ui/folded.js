// A part of a page that is needed seldom: what is in it is asked for when it is opened.
import { html, useState } from '../lib/dom.js';

export function Folded({ summary, children }) {
  const [isOpen, setIsOpen] = useState(false);
  return html`<details onToggle=${(event) => setIsOpen(event.target.open)}><summary>${summary}</summary>
    ${isOpen && children}</details>`;
}
