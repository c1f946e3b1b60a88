// A page that the key may not see: it says why, and what helps.
import { html } from '../lib/dom.js';
import { href } from '../lib/route.js';
import { isOperator, whyNot } from '../lib/session.js';
import { Empty, Page } from './basics.js';

/** The page `title` for a key without `scope`. */
export function NotAllowed({ title, scope }) {
  return html`<${Page} title=${title}>
    <${Empty} title="This key cannot see this page">
      <p>${whyNot(scope)}</p>
      ${isOperator() && html`<p>Keys of operators manage tenants, and see no jobs. <a href=${href('operator')}>Go to Operator</a></p>`}
    <//>
  <//>`;
}
