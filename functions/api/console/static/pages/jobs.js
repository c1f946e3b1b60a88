// The list of jobs: filters, pages, a selection, and acts on many jobs.
import { html, useEffect, useMemo, useState } from '../lib/dom.js';
import { get } from '../lib/api.js';
import { duration } from '../lib/format.js';
import { cadence, markOf, titleOf } from '../lib/job_words.js';
import { usePolled } from '../lib/poll.js';
import { href } from '../lib/route.js';
import { NONE, isChosen, kept, toggled, toggledShown } from '../lib/selection.js';
import { whyNot } from '../lib/session.js';
import { Empty, Page, Pending, State, Time } from '../ui/basics.js';
import { Pages } from '../ui/pages.js';
import { Table } from '../ui/table.js';
import { BulkBar } from './jobs/bulk_bar.js';
import { Filters } from './jobs/filters.js';
import { Operation, RecentOperations } from './jobs/operations.js';

const FILTERS = ['state', 'tag', 'q', 'set', 'kind', 'backfill_of'];
const PAGE_SIZE = 50;
const CREATE = 'punctual create --name nightly --cron "30 2 * * *" --tz Europe/Berlin --url https://example.com/hooks/report';

export default function Jobs({ query }) {
  const filters = useMemo(
    () => Object.fromEntries(FILTERS.filter((name) => query[name]).map((name) => [name, query[name]])),
    [JSON.stringify(query)],
  );
  const polled = usePolled(
    () => get('/v1/jobs', { ...filters, include: 'last_run', limit: PAGE_SIZE, cursor: query.cursor }),
    [JSON.stringify(filters), query.cursor],
  );
  const rows = polled.value?.jobs ?? [];
  const [selection, setSelection] = useState(NONE);
  const shownIds = rows.map((job) => job.id);
  useEffect(() => setSelection(NONE), [JSON.stringify(filters)]);
  useEffect(() => {
    if (polled.value) setSelection((before) => kept(before, shownIds));
  }, [polled.value]);

  return html`
    <${Page} title="Jobs" polled=${polled} actions=${html`<${NewJob} />`} />
    <${Filters} filters=${filters} />
    ${query.operation && html`<${Operation} id=${query.operation} key=${query.operation} onChange=${polled.reload} />`}
    <${Pending} polled=${polled} />
    ${rows.length > 0 && html`
      <${BulkBar} ...${{ filters, rows, selection, setSelection }} hasMore=${Boolean(polled.value.next_cursor || query.cursor)} onDone=${polled.reload} />
      <${JobTable} ...${{ rows, selection, setSelection, shownIds }} />`}
    ${polled.value && !rows.length && html`<${NoJobs} filters=${filters} hasMore=${Boolean(polled.value.next_cursor)} />`}
    ${polled.value && html`<${Pages} cursor=${query.cursor} next=${polled.value.next_cursor} />`}
    <${RecentOperations} />`;
}

function NewJob() {
  const why = whyNot('write');
  return why ? html`<span class="muted">${why}</span>` : html`<a class="button primary" href=${href('newJob')}>New job</a>`;
}

function JobTable({ rows, selection, setSelection, shownIds }) {
  const choice = {
    has: (job) => isChosen(selection, job.id),
    toggle: (job) => setSelection(toggled(selection, job.id, shownIds)),
    label: titleOf,
    isAll: shownIds.every((id) => isChosen(selection, id)),
    toggleAll: () => setSelection(toggledShown(selection, shownIds)),
  };
  return html`<${Table} caption="Jobs" columns=${COLUMNS} rows=${rows} selection=${choice} />`;
}

const COLUMNS = [
  { key: 'name', label: 'Job', render: (job) => html`<a href=${href('job', { id: job.id })}>${titleOf(job)}</a>` },
  { key: 'state', label: 'State', render: (job) => html`<${State} kind=${markOf(job.state)} word=${job.state} />` },
  { key: 'schedule', label: 'Schedule', render: (job) => cadence(job.schedule) },
  { key: 'next', label: 'Next run', render: (job) => html`<${NextRun} job=${job} />` },
  { key: 'last', label: 'Last run', render: (job) => html`<${LastRun} run=${job.last_run} />` },
  { key: 'lag', label: 'Late by', numeric: true, render: (job) => duration(job.last_run?.lag_ms ?? null) },
  { key: 'tags', label: 'Tags', render: (job) => html`<${Tags} tags=${job.tags} />` },
];

function NextRun({ job }) {
  if (job.next_due_at) return html`<${Time} iso=${job.next_due_at} zone=${job.schedule.timezone} />`;
  return html`<span class="muted">${job.no_next_run}</span>`;
}

function LastRun({ run }) {
  if (!run) return '–';
  return html`<a href=${href('run', { id: run.execution_id })}><${State} kind=${markOf(run.state)} word=${run.state} /></a>${' '}
    <${Time} iso=${run.started_at ?? run.scheduled_at} />`;
}

function Tags({ tags }) {
  if (!tags.length) return '–';
  return tags.map((tag) => html`<a key=${tag} class="tag" href=${href('jobs', {}, { tag })}>${tag}</a> `);
}

function NoJobs({ filters, hasMore }) {
  if (hasMore) return html`<p>None of the jobs of this page matches. Look at the next page.</p>`;
  if (Object.keys(filters).length) {
    return html`
      <${Empty} title="No job matches the filter">
        <p>The name is compared from its beginning, and case matters. <a href=${href('jobs')}>Show all jobs</a></p>
      <//>`;
  }
  return html`
    <${Empty} title="There are no jobs yet" command=${CREATE}>
      <p>A job calls a URL once, on a cron line or at an interval. <a href=${href('newJob')}>Create one here</a>, or with
        the command line:</p>
    <//>`;
}
