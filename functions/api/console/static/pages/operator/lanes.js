// What holds calls back: the lanes, and the tenants and destinations in which calls wait or fail.
import { html } from '../../lib/dom.js';
import { get } from '../../lib/api.js';
import { laneRows, scopeRows } from '../../lib/operator.js';
import { usePolled } from '../../lib/poll.js';
import { href } from '../../lib/route.js';
import { Live, Pending, State, Time } from '../../ui/basics.js';
import { Table } from '../../ui/table.js';

export function Lanes() {
  const polled = usePolled(() => get('/v1/admin/lanes', { limit: 100 }), []);
  const { value } = polled;
  if (!value) return html`<${Pending} polled=${polled} />`;
  const scopes = scopeRows(value.hot_scopes);
  return html`<h2>Lanes</h2><${Live} polled=${polled} />
    <${Table} caption="Lanes" rows=${laneRows(value, Date.now())} rowKey=${(row) => row.key} columns=${LANE_COLUMNS} />
    <h2>Where calls wait or fail</h2>
    ${scopes.length === 0 ? html`<p>No tenant and no destination holds calls back.</p>`
      : html`<${Table} caption="Tenants and destinations in which calls wait" rows=${scopes} rowKey=${(row) => row.key} columns=${SCOPE_COLUMNS} />`}
    ${value.next_cursor && html`<p>The first 100 are shown.</p>`}
    <p><a href="v1/docs/reference/delivery">What limits calls</a></p>`;
}

const LANE_COLUMNS = [
  { key: 'name', label: 'Lane' },
  { key: 'messages', label: 'Messages that wait', numeric: true },
  { key: 'words', label: 'State', render: (row) => html`<${State} kind=${row.isBehind ? 'wait' : 'ok'} word=${row.words} />` },
];

const SCOPE_COLUMNS = [
  { key: 'id', label: 'Tenant or destination', render: (row) => html`${row.kind} <${ScopeName} ...${row} />` },
  { key: 'words', label: 'Reason' },
  { key: 'running', label: 'Calls that run', numeric: true, render: (row) => row.running ?? '–' },
  { key: 'until', label: 'Until', render: (row) => html`<${Time} iso=${row.until} />` },
];

function ScopeName({ kind, id }) {
  if (kind !== 'tenant') return html`<code>${id}</code>`;
  return html`<a href=${href('operator', {}, { view: 'tenants', tenant: id })}>${id}</a>`;
}
