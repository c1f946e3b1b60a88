// A secret that the API shows once. It is on the page until it is closed, and stored nowhere.
import { html } from '../../lib/dom.js';
import { Copy } from '../../ui/basics.js';

export function ShownOnce({ title, secret, onClose }) {
  return html`<div class="once" role="status">
    <p><strong>${title}.</strong> It is shown only now: copy it to where it is needed.</p>
    <pre><code>${secret}</code></pre>
    <div class="actions"><${Copy} label="Copy it" text=${secret} />
      <button type="button" onClick=${onClose}>I have stored it</button></div>
  </div>`;
}
