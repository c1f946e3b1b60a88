// What ran, how late it was, what comes next, and what failed.
import { html, useMemo } from '../lib/dom.js';
import { get, pages } from '../lib/api.js';
import { duration, localZone } from '../lib/format.js';
import {
  AHEAD_MS, FAILURES_SHOWN, RANGES, completeSentence, densityQuery, densitySentence, failuresQuery, groupFailures, heat,
  lagChart, lagSentence, outcomeChart, outcomeSentence, pausedByReceiver, pausedSentence, rangeName, statsQuery,
} from '../lib/overview.js';
import { together } from '../lib/pace.js';
import { usePolled } from '../lib/poll.js';
import { href } from '../lib/route.js';
import { seldom } from '../lib/sequence.js';
import { may } from '../lib/session.js';
import { Empty, Page, State, Time } from '../ui/basics.js';
import { Chart } from '../ui/chart.js';
import { NotAllowed } from '../ui/not_allowed.js';
import { Part } from '../ui/part.js';
import { Table } from '../ui/table.js';

/** The next runs and the paused jobs are read once a minute: they cost the most, and change the least. */
const SELDOM_MS = 60_000;
const PAUSED_PAGES = 4;
const PAUSED_COUNTED = 50;
const PAUSED_SHOWN = 5;

export default function Overview({ query }) {
  if (!may('read')) return html`<${NotAllowed} title="Overview" scope="read" />`;
  return html`<${Readable} range=${rangeName(query.range)} />`;
}

function Readable({ range }) {
  const [readNext, readPaused] = useMemo(() => [askNext, askPaused].map((ask) => seldom(ask, SELDOM_MS, Date.now)), []);
  // Each part has an answer of its own, and a range belongs to its answer: both change at the same moment.
  const statistics = usePolled(() => askOf(range, '/v1/stats', statsQuery), [range]);
  const failures = usePolled(() => askOf(range, '/v1/dead-letters', failuresQuery), [range]);
  const next = usePolled(readNext);
  const paused = usePolled(readPaused);
  const polled = together([statistics, failures, next, paused]);
  return html`<${Page} title="Overview" polled=${polled} actions=${html`<${Ranges} range=${range} />`}>
    <${Part} label="Jobs paused by their receivers" size="line" polled=${paused}>${(found) => html`<${Paused} ...${found} />`}<//>
    <${Part} label="Statistics" size="charts" polled=${statistics}>${(found) => html`<${Statistics} ...${found} />`}<//>
    <${Part} label="Next hours" size="strip" polled=${next}>${(found) => html`<${Next} density=${found} />`}<//>
    <${Part} label="Failures" size="list" polled=${failures}>${(found) => html`<${Failures} ...${found} />`}<//>
  <//>`;
}

async function askOf(range, path, queryOf) {
  return { range, answer: await get(path, queryOf(range, Date.now())) };
}

function askNext() {
  return get('/v1/upcoming/density', densityQuery(Date.now()));
}

/** Jobs that their receivers paused, of the first pages. A page examines 1 MB of recurring jobs, whatever matches. */
async function askPaused() {
  const jobs = [];
  let seen = 0;
  for await (const page of pages('/v1/jobs', { state: 'paused', limit: 100 })) {
    jobs.push(...pausedByReceiver(page.jobs));
    seen += 1;
    if (seen === PAUSED_PAGES || jobs.length >= PAUSED_COUNTED) return { jobs, hasMore: page.next_cursor !== null };
  }
  return { jobs, hasMore: false };
}

function Ranges({ range }) {
  return html`<nav aria-label="Range" class="choices">
    ${Object.keys(RANGES).map((name) => html`<a key=${name} href=${href('overview', {}, { range: name })}
      aria-current=${name === range ? 'true' : undefined}>${name.replace('h', ' h').replace('d', ' d')}</a>`)}
  </nav>`;
}

function Statistics({ range, answer }) {
  const zone = localZone();
  return html`
    <${Chart} title="Runs by outcome" sentence=${outcomeSentence(answer, range)} data=${outcomeChart(answer)} zone=${zone} />
    <${Chart} title="Lag of first calls" sentence=${lagSentence(answer, range)} data=${lagChart(answer)} kind="lines"
      format=${duration} zone=${zone} />
    <p class="muted">${completeSentence(answer, zone)} <a href="v1/docs/guides/statistics">How runs are counted</a></p>`;
}

/** One line, whatever is found: the rest of the page does not move. */
function Paused({ jobs, hasMore }) {
  const sentence = pausedSentence(jobs.length, hasMore);
  if (jobs.length === 0) return html`<p class="muted">${sentence}</p>`;
  return html`<details class="paused">
    <summary><${State} kind="warning" word=${sentence} /></summary>
    <p>The receiver answered 410, that it is gone. Resume a job when its receiver is back.</p>
    <ul>${jobs.slice(0, PAUSED_SHOWN).map((job) => html`<li key=${job.id}><a href=${href('job', { id: job.id })}>${job.name ?? job.id}</a></li>`)}</ul>
    <p><a href=${href('jobs', {}, { state: 'paused' })}>All paused jobs</a></p>
  </details>`;
}

function Next({ density }) {
  const cells = heat(density.steps);
  return html`
    <h2>Next ${AHEAD_MS / 3_600_000} hours</h2>
    <p>${densitySentence(density, localZone())} <a href=${href('upcoming')}>Upcoming</a></p>
    <svg class="heat" viewBox="0 0 ${Math.max(1, cells.length * 10)} 12" preserveAspectRatio="none" aria-hidden="true">
      ${cells.map((cell, index) => html`<rect key=${cell.at} x=${index * 10} width="9" height="12" class="level-${cell.level}" />`)}
    </svg>`;
}

function Failures({ range, answer }) {
  const groups = groupFailures(answer.executions);
  if (groups.length === 0) {
    return html`<${Empty} title="Nothing failed in ${RANGES[range].words}" command="punctual runs --since 24h">
      <p>Runs without an attempt left appear here. This command lists all runs:</p><//>`;
  }
  const isPart = answer.next_cursor !== null;
  return html`
    <h2>Latest failures</h2>
    <p>${isPart ? `The newest ${FAILURES_SHOWN}, by` : 'By'} job and reason. <a href=${href('dead')}>All dead letters</a></p>
    <${Table} caption="Latest failures by job and reason" rows=${groups} rowKey=${(row) => row.key} columns=${COLUMNS} />`;
}

const COLUMNS = [
  { key: 'name', label: 'Job', render: (row) => html`<a href=${href('job', { id: row.jobId })}>${row.name ?? row.jobId}</a>` },
  { key: 'reason', label: 'Reason' },
  { key: 'count', label: 'Runs', numeric: true },
  { key: 'latest', label: 'Latest', render: (row) => html`<a href=${href('run', { id: row.latestId })}><${Time} iso=${row.latestAt} /></a>` },
  { key: 'dead', label: 'Next step', render: (row) => html`<a href=${href('dead', {}, row.query)}>See and redrive ${row.count > 1 ? 'all' : 'it'}</a>` },
];
