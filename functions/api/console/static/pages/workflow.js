// One workflow: its tasks, its runs, and the acts on it.
import { html } from '../lib/dom.js';
import { get, read } from '../lib/api.js';
import { duration } from '../lib/format.js';
import { graphOf } from '../lib/graph_layout.js';
import { targetWords } from '../lib/job_form.js';
import { usePolled } from '../lib/poll.js';
import { href } from '../lib/route.js';
import { may } from '../lib/session.js';
import { conditionWords, stateWords, workflowTitle } from '../lib/workflow_words.js';
import { Page, Pending, Problem, Time } from '../ui/basics.js';
import { Folded } from '../ui/folded.js';
import { NotAllowed } from '../ui/not_allowed.js';
import { Table } from '../ui/table.js';
import { Trail } from '../ui/trail.js';
import { WorkflowActs } from './workflow/acts.js';
import { Graph } from './workflow/graph.js';
import { Runs } from './workflow/runs.js';

export default function Workflow({ params }) {
  if (!may('read')) return html`<${NotAllowed} title="Workflow" scope="read" />`;
  return html`<${Readable} id=${params.id} />`;
}

function Readable({ id }) {
  const path = `/v1/workflows/${encodeURIComponent(id)}`;
  const polled = usePolled(async () => {
    const [{ body: workflow, etag }, runs] = await Promise.all([read(path), get(`${path}/runs`, { limit: 20 })]);
    return { workflow, etag, runs };
  }, [id]);
  if (!polled.value) return html`<${Page} title="Workflow" /><${Pending} polled=${polled} />`;
  const { workflow, etag, runs } = polled.value;
  return html`
    <${Page} title=${workflowTitle(workflow)} polled=${polled} />
    ${polled.error && html`<${Problem} error=${polled.error} retry=${polled.reload} />`}
    <${WorkflowActs} workflow=${workflow} etag=${etag} />
    <section aria-label="Runs">
      <h2>Runs</h2>
      <${Runs} id=${workflow.id} first=${runs} key=${workflow.id} />
    </section>
    <section aria-label="Tasks">
      <h2>Tasks</h2>
      <${Graph} graph=${graphOf(workflow.tasks)} tasks=${workflow.tasks} />
      <${Table} caption="Tasks" columns=${TASK_COLUMNS} rows=${workflow.tasks} rowKey=${(task) => task.key} />
    </section>
    <section aria-label="Definition">
      <h2>Definition</h2>
      <${Definition} workflow=${workflow} />
    </section>
    <${Folded} summary="Changes of this workflow" key=${`changes ${workflow.id}`}><${Trail} path="/v1/audit" target=${workflow.id} /><//>`;
}

const TASK_COLUMNS = [
  { key: 'key', label: 'Task' },
  { key: 'after', label: 'Starts', render: conditionWords },
  { key: 'request', label: 'Request', render: (task) => task.target
    ? html`<span class="url">${targetWords(task.target)}</span>`
    : html`${task.request.method} <span class="url">${task.request.url}</span>` },
  { key: 'attempts', label: 'Attempts', numeric: true, render: (task) => String(task.retry.max_attempts) },
  { key: 'timeout', label: 'Timeout', numeric: true, render: (task) => `${task.timeout_seconds} s` },
  { key: 'lane', label: 'Lane' },
];

function Definition({ workflow }) {
  const rows = [
    ['After a failure', FAILURES[workflow.on_failure] ?? stateWords(workflow.on_failure)],
    ['Longest run', duration(workflow.deadline_seconds * 1000)],
    ['Tags', workflow.tags.length > 0 && workflow.tags.map((tag) => html`<span key=${tag} class="tag">${tag}</span> `)],
    ['Key', workflow.key && html`<code>${workflow.key}</code>`],
    ['Set', workflow.set && html`<a href=${href('workflows', {}, { set: workflow.set })}>${workflow.set}</a>`],
    ['Created', html`<${Time} iso=${workflow.created_at} exact />`],
    ['Revision', workflow.revision],
    ['Id', html`<code>${workflow.id}</code>`],
  ];
  return html`
    <dl class="facts">
      ${rows.filter(([, value]) => value).map(([label, value]) => html`<div key=${label}><dt>${label}</dt><dd>${value}</dd></div>`)}
    </dl>`;
}

const FAILURES = {
  fail_fast: 'tasks that have not started are cancelled',
  continue: 'tasks that can still run go on',
};
