// The list of workflows.
import { html } from '../lib/dom.js';
import { get } from '../lib/api.js';
import { count } from '../lib/format.js';
import { usePolled } from '../lib/poll.js';
import { href } from '../lib/route.js';
import { may } from '../lib/session.js';
import { workflowTitle } from '../lib/workflow_words.js';
import { Empty, Page, Pending, Time } from '../ui/basics.js';
import { NotAllowed } from '../ui/not_allowed.js';
import { Pages } from '../ui/pages.js';
import { Table } from '../ui/table.js';

const PAGE_SIZE = 50;
const CREATE = 'punctual workflows create order.json';

export default function Workflows({ query }) {
  if (!may('read')) return html`<${NotAllowed} title="Workflows" scope="read" />`;
  return html`<${Readable} query=${query} />`;
}

function Readable({ query }) {
  const { cursor, set } = query;
  const polled = usePolled(() => get('/v1/workflows', { set, limit: PAGE_SIZE, cursor }), [set, cursor]);
  const rows = polled.value?.workflows ?? [];
  return html`
    <${Page} title="Workflows" polled=${polled} />
    ${set && html`<p>Of the set ${set}. <a href=${href('workflows')}>Show all workflows</a></p>`}
    <${Pending} polled=${polled} />
    ${rows.length > 0 && html`<${Table} caption="Workflows" columns=${COLUMNS} rows=${rows} />`}
    ${polled.value && !rows.length && html`<${None} hasMore=${Boolean(polled.value.next_cursor)} isPart=${Boolean(set || cursor)} />`}
    ${polled.value && html`<${Pages} cursor=${cursor} next=${polled.value.next_cursor} />`}`;
}

const COLUMNS = [
  { key: 'name', label: 'Workflow', render: (row) => html`<a href=${href('workflow', { id: row.id })}>${workflowTitle(row)}</a>` },
  { key: 'tasks', label: 'Tasks', numeric: true, render: (row) => count(row.task_count) },
  { key: 'revision', label: 'Revision', numeric: true },
  { key: 'tags', label: 'Tags', render: (row) => (row.tags.length ? row.tags.map((tag) => html`<span key=${tag} class="tag">${tag}</span> `) : '–') },
  { key: 'set', label: 'Set', render: (row) => (row.set ? html`<a href=${href('workflows', {}, { set: row.set })}>${row.set}</a>` : '–') },
  { key: 'created', label: 'Created', render: (row) => html`<${Time} iso=${row.created_at} exact />` },
];

function None({ hasMore, isPart }) {
  if (hasMore) return html`<p>None of the workflows of this page is of the set. Look at the next page.</p>`;
  if (isPart) return html`<p>There is no further workflow.</p>`;
  return html`
    <${Empty} title="There are no workflows yet" command=${CREATE}>
      <p>A workflow is a set of tasks that wait for one another. The guide
        ${' '}<a href="v1/docs/guides/workflows">run tasks in order</a> shows how to write one. Create it with the API, or with the
        command line:</p>
    <//>`;
}
