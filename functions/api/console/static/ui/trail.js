// The audit trail: what was changed, when, and by which key.
import { html, useState } from '../lib/dom.js';
import { get } from '../lib/api.js';
import { usePolled } from '../lib/poll.js';
import { actorWords, effectOf, operationWords } from '../lib/trail.js';
import { Live, Pending, Time } from './basics.js';
import { Table } from './table.js';

const PAGE_SIZE = 25;

/** The changes of a tenant, newest first; `path` is a route of the trail, and `target` the id of the only thing of interest. */
export function Trail({ path, target = null }) {
  const [cursors, setCursors] = useState([]);
  const cursor = cursors.at(-1) ?? null;
  const polled = usePolled(() => get(path, { limit: PAGE_SIZE, target, cursor }), [path, target, cursor]);
  const { value } = polled;
  if (!value) return html`<${Pending} polled=${polled} />`;
  return html`<${Live} polled=${polled} />
    ${value.records.length === 0 ? html`<p>${value.next_cursor ? 'No change on this page.' : 'No change is recorded.'}</p>`
      : html`<${Table} caption="Changes, newest first" rows=${value.records} columns=${target === null ? COLUMNS : WITHOUT_TARGET} />`}
    <p class="actions">
      ${cursors.length > 0 && html`<button type="button" onClick=${() => setCursors(cursors.slice(0, -1))}>Newer changes</button>`}
      ${value.next_cursor && html`<button type="button" onClick=${() => setCursors([...cursors, value.next_cursor])}>Older changes</button>`}
    </p>`;
}

const COLUMNS = [
  { key: 'at', label: 'When', render: (record) => html`<${Time} iso=${record.at} exact />` },
  { key: 'operation', label: 'Operation', render: (record) => operationWords(record.operation) },
  { key: 'target', label: 'Of', render: (record) => html`<code>${record.target}</code>` },
  { key: 'effect', label: 'Effect', render: effectOf },
  { key: 'actor', label: 'By', render: actorWords },
  { key: 'request', label: 'Request', render: (record) => html`<code>${record.request_id}</code>` },
];
const WITHOUT_TARGET = COLUMNS.filter(({ key }) => key !== 'target');
