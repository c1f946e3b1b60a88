// Quotas in words, and for administrators the keys, signing secrets and defaults of the tenant.
import { html } from '../lib/dom.js';
import { get } from '../lib/api.js';
import { quotaRows } from '../lib/access.js';
import { usePolled } from '../lib/poll.js';
import { may, whyNot } from '../lib/session.js';
import { Meter, Page, Pending } from '../ui/basics.js';
import { Folded } from '../ui/folded.js';
import { NotAllowed } from '../ui/not_allowed.js';
import { Table } from '../ui/table.js';
import { Trail } from '../ui/trail.js';
import { Keys } from './usage/keys.js';
import { Secrets } from './usage/secrets.js';
import { Settings } from './usage/settings.js';

export default function Usage() {
  if (!may('read', 'admin')) return html`<${NotAllowed} title="Usage and keys" scope="read" />`;
  return html`<${Readable} />`;
}

function Readable() {
  const polled = usePolled(() => get('/v1/usage'), []);
  return html`<${Page} title="Usage and keys" polled=${polled}>
    ${polled.value ? html`<${Quotas} usage=${polled.value} />` : html`<${Pending} polled=${polled} />`}
    ${may('admin') ? html`<${Keys} /><${Secrets} /><${Settings} />` : html`<${Withheld} />`}
    <h2>Changes</h2>
    <${Folded} summary="What was changed, and by which key"><${Trail} path="/v1/audit" /><//>
  <//>`;
}

function Quotas({ usage }) {
  return html`<h2>Quotas of ${usage.tenant}</h2>
    <p>An operator can change them. <a href="v1/docs/reference/tenants">What each of them limits</a></p>
    <${Table} caption="Quotas" rows=${quotaRows(usage)} rowKey=${(row) => row.name} columns=${COLUMNS} />`;
}

const COLUMNS = [
  { key: 'label', label: 'Quota' },
  { key: 'use', label: 'Use', render: (row) => (row.share === null ? row.words
    : html`<${Meter} label=${row.label} value=${row.used} max=${Math.max(1, row.limit)} text=${row.words} />`) },
];

function Withheld() {
  return html`<h2>Keys, signing secrets and notifications</h2><p>${whyNot('admin')}</p>`;
}
