// Dead letters: what failed, by job and reason, and the way to run it once more.
import { html, useEffect, useMemo, useState } from '../lib/dom.js';
import { get } from '../lib/api.js';
import { filterOf, sinceName } from '../lib/dead_letters.js';
import { plural } from '../lib/format.js';
import { groupFailures, reasonOf } from '../lib/overview.js';
import { usePolled } from '../lib/poll.js';
import { href, setQuery } from '../lib/route.js';
import { stillChosen } from '../lib/sequence.js';
import { may } from '../lib/session.js';
import { Empty, Page, Pending, State, Time } from '../ui/basics.js';
import { NotAllowed } from '../ui/not_allowed.js';
import { Table } from '../ui/table.js';
import { BulkRedrive } from './dead/bulk.js';
import { Chosen } from './dead/chosen.js';
import { Filters } from './dead/filters.js';
import { Progress } from './dead/progress.js';

const SHOWN = 50;

export default function DeadLetters({ query }) {
  if (!may('read')) return html`<${NotAllowed} title="Dead letters" scope="read" />`;
  return html`<${Readable} query=${query} />`;
}

function Readable({ query }) {
  const { redrive, cursor, ...criteria } = query;
  const address = JSON.stringify(criteria);
  // The range begins where it began when the filter was chosen, so that a dry run and its redrive have the same.
  const filter = useMemo(() => filterOf(criteria, Date.now()), [address]);
  const polled = usePolled(() => get('/v1/dead-letters', { ...filter, limit: SHOWN, cursor }), [address, cursor]);
  const { value, reload } = polled;
  return html`<${Page} title="Dead letters" polled=${polled}>
    <${Filters} query=${criteria} since=${sinceName(query.since)} />
    ${redrive && html`<${Progress} key=${redrive} id=${redrive} onEnd=${reload} />`}
    ${value ? html`<${Found} key=${address} page=${value} query=${query} reload=${reload} filter=${filter} />`
      : html`<${Pending} polled=${polled} />`}
  <//>`;
}

function Found({ page, query, filter, reload }) {
  const rows = page.executions;
  const [chosen, setChosen] = useState(new Set());
  useEffect(() => setChosen((before) => stillChosen(before, rows.map((row) => row.id))), [rows]);
  if (rows.length === 0 && !page.next_cursor && !query.cursor) return html`<${NothingFailed} isFiltered=${Object.keys(filter).length > 0} />`;
  return html`
    <${Groups} rows=${rows} />
    <${BulkRedrive} filter=${filter} jobName=${filter.job && rows[0]?.name} />
    <section aria-label="Runs that failed"><h2>Runs that failed</h2>
      <${Chosen} ids=${[...chosen]} clear=${() => setChosen(new Set())} reload=${reload} />
      <${Table} caption="Dead letters, newest first" rows=${rows} columns=${COLUMNS} selection=${selectionOf(rows, chosen, setChosen)} />
    </section>
    <${Pager} page=${page} cursor=${query.cursor} />`;
}

function selectionOf(rows, chosen, setChosen) {
  const toggled = (id) => new Set(chosen.has(id) ? [...chosen].filter((each) => each !== id) : [...chosen, id]);
  const isAll = rows.length > 0 && rows.every((row) => chosen.has(row.id));
  return {
    has: (row) => chosen.has(row.id),
    toggle: (row) => setChosen(toggled(row.id)),
    label: (row) => `the run of ${row.name ?? row.job_id} due at ${row.due_at}`,
    isAll,
    toggleAll: () => setChosen(new Set(isAll ? [] : rows.map((row) => row.id))),
  };
}

function Pager({ page, cursor }) {
  return html`<p class="actions">
    ${cursor && html`<button type="button" onClick=${() => setQuery({ cursor: null })}>Newest</button>`}
    ${page.next_cursor && html`<button type="button" onClick=${() => setQuery({ cursor: page.next_cursor }, { replace: false })}>Older</button>`}
  </p>`;
}

/** The groups of this page; each narrows the filter to itself. */
function Groups({ rows }) {
  const groups = groupFailures(rows);
  if (groups.length < 2) return null;
  return html`<section aria-label="Groups"><h2>By job and reason</h2>
    <ul class="groups">${groups.map((group) => html`<li key=${group.key}>
      <a href=${href('dead', {}, group.query)}>${group.name ?? group.jobId}: ${group.reason}</a> ${plural(group.count, 'run')}</li>`)}</ul>
  </section>`;
}

function NothingFailed({ isFiltered }) {
  if (isFiltered) return html`<${Empty} title="No dead letter matches this filter"><p><a href=${href('dead')}>Show all dead letters</a></p><//>`;
  return html`<${Empty} title="Nothing has failed" command="punctual create --delay 0s --url https://example.com/hooks/fails --max-attempts 1">
    <p>A run whose last attempt failed is listed here, with its reason and a way to run it once more. This command creates a job
      that fails, because example.com answers 404 or 405:</p><//>`;
}

const COLUMNS = [
  { key: 'job', label: 'Run of', render: (row) => html`<a href=${href('run', { id: row.id })}>${row.name ?? row.job_id}</a>` },
  { key: 'due', label: 'Due', render: (row) => html`<${Time} iso=${row.due_at} />` },
  { key: 'reason', label: 'Reason', render: (row) => html`<${State} kind="failed" word=${reasonOf(row)} />` },
  { key: 'attempts', label: 'Attempts', numeric: true, render: (row) => row.attempts_begun },
  { key: 'redrive', label: 'Redrive', render: (row) => (row.redriven_by
    ? html`<a href=${href('run', { id: row.redriven_by })}>redriven</a>` : 'none yet') },
];
