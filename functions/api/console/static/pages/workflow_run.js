// One run of a workflow: its graph while it runs, its tasks, and the acts on it.
import { html } from '../lib/dom.js';
import { get, send } from '../lib/api.js';
import { duration, plural } from '../lib/format.js';
import { usePolled } from '../lib/poll.js';
import { href } from '../lib/route.js';
import { may, whyNot } from '../lib/session.js';
import {
  isWorkflowRunEnded, itemWords, runActs, runSentence, stateWords, taskEndedAt, taskReason, workflowMark,
} from '../lib/workflow_words.js';
import { Page, Pending, Problem, State, Time } from '../ui/basics.js';
import { ConfirmButton } from '../ui/dialog.js';
import { NotAllowed } from '../ui/not_allowed.js';
import { notify } from '../ui/notices.js';
import { Table } from '../ui/table.js';
import { Graph } from './workflow/graph.js';

export default function WorkflowRun({ params }) {
  if (!may('read')) return html`<${NotAllowed} title="Run of a workflow" scope="read" />`;
  return html`<${Readable} id=${params.id} />`;
}

function Readable({ id }) {
  const path = `/v1/runs/${encodeURIComponent(id)}`;
  const polled = usePolled(() => get(path), [id], { isFinal: (run) => isWorkflowRunEnded(run.state) });
  const { value: run, reload } = polled;
  if (!run) return html`<${Page} title="Run of a workflow" /><${Pending} polled=${polled} />`;
  const before = new Map(run.tasks.map((task) => [task.key, []]));
  for (const { source, target } of run.graph.edges) before.get(target).push(source);
  const levels = new Map(run.graph.nodes.map((node) => [node.key, node.level]));
  const rows = run.tasks.map((task) => ({ ...task, after: before.get(task.key), level: levels.get(task.key) }))
    .sort((one, other) => one.level - other.level);
  return html`
    <${Page} title="Run of ${run.workflow_name ?? run.workflow_id}" polled=${polled} actions=${html`<${Acts} run=${run} path=${path} reload=${reload} />`} />
    ${polled.error && html`<${Problem} error=${polled.error} retry=${reload} />`}
    <p class="lead">${runSentence(run)}</p>
    <p><${State} kind=${workflowMark(run.state)} word=${stateWords(run.state)} /></p>
    <dl class="facts">
      <div><dt>Workflow</dt><dd><a href=${href('workflow', { id: run.workflow_id })}>${run.workflow_name ?? run.workflow_id}</a>, revision ${run.revision}</dd></div>
      ${run.job_id && html`<div><dt>Started by</dt><dd><a href=${href('run', { id: run.execution_id })}>a run</a> of <a href=${href('job', { id: run.job_id })}>a job</a></dd></div>`}
      <div><dt>Began</dt><dd><${Time} iso=${run.created_at} exact /></dd></div>
      ${run.ended_at && html`<div><dt>Ended</dt><dd><${Time} iso=${run.ended_at} exact /></dd></div>`}
      ${!run.ended_at && html`<div><dt>Ends by</dt><dd><${Time} iso=${run.deadline_at} exact /></dd></div>`}
      ${run.has_input && html`<div><dt>Input</dt><dd>given; it is stored encrypted, and shown to the tasks alone that take it</dd></div>`}
      ${run.epoch > 1 && html`<div><dt>Redrives</dt><dd>${run.epoch - 1}</dd></div>`}
      <div><dt>Id</dt><dd><code>${run.id}</code></dd></div>
    </dl>
    <h2>Graph</h2>
    <${Graph} graph=${run.graph} tasks=${run.tasks} />
    <h2>Tasks</h2>
    <${Table} caption="Tasks, by their level in the graph" columns=${columnsFor(rows)} rows=${rows} rowKey=${(task) => task.key} />`;
}

const COLUMNS = [
  { key: 'key', label: 'Task', render: (task) => (task.execution_id ? html`<a href=${href('run', { id: task.execution_id })}>${task.key}</a>` : task.key) },
  { key: 'state', label: 'State', render: (task) => html`<${State} kind=${workflowMark(task.state)} word=${stateWords(task.state)} />` },
  { key: 'items', label: 'Items', render: (task) => html`<${Items} task=${task} />` },
  { key: 'after', label: 'After', render: (task) => task.after.join(', ') || '–' },
  { key: 'attempts', label: 'Attempts', numeric: true, render: (task) => String(task.attempts_begun) },
  { key: 'due', label: 'Due', render: (task) => html`<${Time} iso=${task.due_at} exact />` },
  { key: 'took', label: 'Took', numeric: true, render: (task) => duration(taskEndedAt(task) === null ? null : taskEndedAt(task) - Date.parse(task.due_at)) },
  { key: 'result', label: 'Result', render: (task) => (task.has_result ? 'handed on' : '–') },
  { key: 'next', label: 'Next attempt', render: (task) => html`<${Time} iso=${task.next_attempt_at} exact />` },
  { key: 'why', label: 'Reason', render: taskReason },
];

/** Most workflows hand on no result and have no map: their table has no column for it. */
const columnsFor = (rows) => COLUMNS.filter(({ key }) => (key !== 'result' || rows.some((task) => task.has_result))
  && (key !== 'items' || rows.some((task) => task.items)));

/** Items of a map that are shown at once, failed ones first; the others are folded. */
const FEW_ITEMS = 5;

/** How far the items of a map have come, with links to those without success. */
function Items({ task }) {
  if (!task.items) return '–';
  const { unsuccessful } = task.items;
  const more = unsuccessful.slice(FEW_ITEMS);
  return html`${itemWords(task)}${unsuccessful.slice(0, FEW_ITEMS).map((item) => html`<${Item} key=${item.index} ...${item} />`)}
    ${more.length > 0 && html`<details><summary>${plural(more.length, 'more item')}</summary>
      ${more.map((item) => html`<${Item} key=${item.index} ...${item} />`)}</details>`}`;
}

/** An item that was cancelled before it had an execution leads nowhere. */
function Item({ index, state, execution_id: id }) {
  const name = `item ${index}`;
  return html`<div>${id ? html`<a href=${href('run', { id })}>${name}</a>` : name} ${stateWords(state)}</div>`;
}

function Acts({ run, path, reload }) {
  const { cancel: canCancel, redrive: canRedrive } = runActs(run);
  const why = whyNot('write');
  if (why) return html`<span class="muted">${why}</span>`;
  const cancel = async () => {
    const { status } = await send('POST', `${path}/cancel`);
    notify(status === 202 ? 'The run ends with the attempts that are running' : 'The run was cancelled');
    reload();
  };
  const redrive = async () => {
    await send('POST', `${path}/redrive`, { body: { epoch: run.epoch } });
    notify('The run goes on');
    reload();
  };
  return html`
    ${canCancel && html`<${ConfirmButton} label="Cancel the run" kind="danger" act=${cancel}>
      <p>No task starts any more, and no attempt is repeated. Attempts that are running are the last of their tasks.</p>
    <//>`}
    ${canRedrive && html`<${ConfirmButton} label="Redrive" title="Redrive the run" kind="primary" act=${redrive}>
      <p>The same run goes on: tasks that failed, were skipped or were cancelled run anew, and tasks that succeeded keep their
        success.</p>
    <//>`}`;
}
