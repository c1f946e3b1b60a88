// What ran, how late it was, what comes next, and what failed.
import { html, useMemo } from '../lib/dom.js';
import { get, pages } from '../lib/api.js';
import { duration, localZone, plural } from '../lib/format.js';
import {
  AHEAD_MS, FAILURES_SHOWN, RANGES, completeSentence, densityQuery, densitySentence, failuresQuery, groupFailures, heat,
  lagChart, lagSentence, outcomeChart, outcomeSentence, pausedByReceiver, rangeName, statsQuery,
} from '../lib/overview.js';
import { usePolled } from '../lib/poll.js';
import { href } from '../lib/route.js';
import { seldom } from '../lib/sequence.js';
import { may } from '../lib/session.js';
import { Empty, Page, Pending, Time } from '../ui/basics.js';
import { Chart } from '../ui/chart.js';
import { NotAllowed } from '../ui/not_allowed.js';
import { Table } from '../ui/table.js';

/** The next runs and the paused jobs are read once a minute: they cost the most, and change the least. */
const SELDOM_MS = 60_000;
const PAUSED_PAGES = 10;

export default function Overview({ query }) {
  if (!may('read')) return html`<${NotAllowed} title="Overview" scope="read" />`;
  return html`<${Readable} range=${rangeName(query.range)} />`;
}

function Readable({ range }) {
  const later = useMemo(() => seldom(readLater, SELDOM_MS, Date.now), []);
  const polled = usePolled(() => readAll(range, later), [range]);
  const { value } = polled;
  return html`<${Page} title="Overview" polled=${polled} actions=${html`<${Ranges} range=${range} />`}>
    ${value ? html`<${Found} ...${value} range=${range} />` : html`<${Pending} polled=${polled} />`}
  <//>`;
}

async function readAll(range, later) {
  const nowMs = Date.now();
  const [statistics, failures, rest] = await Promise.all([
    get('/v1/stats', statsQuery(range, nowMs)),
    get('/v1/dead-letters', failuresQuery(range, nowMs)),
    later(),
  ]);
  return { statistics, failures, ...rest };
}

async function readLater() {
  const [density, paused] = await Promise.all([
    get('/v1/upcoming/density', densityQuery(Date.now())),
    readPaused(),
  ]);
  return { density, paused };
}

/** Paused jobs of the first pages. A page of a filtered list examines a few dozen jobs, whatever matches. */
async function readPaused() {
  const jobs = [];
  let seen = 0;
  for await (const page of pages('/v1/jobs', { state: 'paused', limit: 100 })) {
    jobs.push(...page.jobs);
    seen += 1;
    if (seen === PAUSED_PAGES) return { jobs, hasMore: page.next_cursor !== null };
  }
  return { jobs, hasMore: false };
}

function Ranges({ range }) {
  return html`<nav aria-label="Range" class="choices">
    ${Object.keys(RANGES).map((name) => html`<a key=${name} href=${href('overview', {}, { range: name })}
      aria-current=${name === range ? 'true' : undefined}>${name.replace('h', ' h').replace('d', ' d')}</a>`)}
  </nav>`;
}

function Found({ statistics, failures, density, paused, range }) {
  const zone = localZone();
  return html`
    <${Paused} jobs=${pausedByReceiver(paused.jobs)} hasMore=${paused.hasMore} />
    <${Chart} title="Runs by outcome" sentence=${outcomeSentence(statistics, range)} data=${outcomeChart(statistics)} zone=${zone} />
    <${Chart} title="Lag of first calls" sentence=${lagSentence(statistics, range)} data=${lagChart(statistics)} kind="lines"
      format=${duration} zone=${zone} />
    <p class="muted">${completeSentence(statistics, zone)} <a href="v1/docs/guides/statistics">How runs are counted</a></p>
    <${Next} density=${density} zone=${zone} />
    <${Failures} page=${failures} range=${range} />`;
}

function Paused({ jobs, hasMore }) {
  if (jobs.length === 0) return null;
  return html`<section class="problem warning" aria-label="Paused by their receiver">
    <p><strong>${plural(jobs.length, 'job')}${hasMore && ' or more'} paused by the receiver.</strong> It answered 410, that it is
      gone. Resume the job when its receiver is back.</p>
    <ul>${jobs.slice(0, 5).map((job) => html`<li key=${job.id}><a href=${href('job', { id: job.id })}>${job.name ?? job.id}</a></li>`)}</ul>
    ${jobs.length > 5 && html`<p><a href=${href('jobs', {}, { state: 'paused' })}>All paused jobs</a></p>`}
  </section>`;
}

function Next({ density, zone }) {
  const cells = heat(density.steps);
  return html`<section>
    <h2>Next ${AHEAD_MS / 3_600_000} hours</h2>
    <p>${densitySentence(density, zone)} <a href=${href('upcoming')}>Upcoming</a></p>
    <svg class="heat" viewBox="0 0 ${Math.max(1, cells.length * 10)} 12" preserveAspectRatio="none" aria-hidden="true">
      ${cells.map((cell, index) => html`<rect key=${cell.at} x=${index * 10} width="9" height="12" class="level-${cell.level}" />`)}
    </svg>
  </section>`;
}

function Failures({ page, range }) {
  const groups = groupFailures(page.executions);
  if (groups.length === 0) {
    return html`<${Empty} title="Nothing failed in ${RANGES[range].words}" command="punctual runs --since 24h">
      <p>Runs without an attempt left appear here. This command lists all runs:</p><//>`;
  }
  const isPart = page.next_cursor !== null;
  return html`<section>
    <h2>Latest failures</h2>
    <p>${isPart ? `The newest ${FAILURES_SHOWN}, by` : 'By'} job and reason. <a href=${href('dead')}>All dead letters</a></p>
    <${Table} caption="Latest failures by job and reason" rows=${groups} rowKey=${(row) => row.key} columns=${COLUMNS} />
  </section>`;
}

const COLUMNS = [
  { key: 'name', label: 'Job', render: (row) => html`<a href=${href('job', { id: row.jobId })}>${row.name ?? row.jobId}</a>` },
  { key: 'reason', label: 'Reason' },
  { key: 'count', label: 'Runs', numeric: true },
  { key: 'latest', label: 'Latest', render: (row) => html`<a href=${href('run', { id: row.latestId })}><${Time} iso=${row.latestAt} /></a>` },
  { key: 'dead', label: 'Next step', render: (row) => html`<a href=${href('dead', {}, row.query)}>See and redrive ${row.count > 1 ? 'all' : 'it'}</a>` },
];
