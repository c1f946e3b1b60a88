// One run: why it was late, its stages, its attempts, and what can be done about it.
import { html, useState } from '../lib/dom.js';
import { get, send } from '../lib/api.js';
import { bytes, duration } from '../lib/format.js';
import { usePolled } from '../lib/poll.js';
import { go, href } from '../lib/route.js';
import { runSnippets } from '../lib/run_snippets.js';
import { may } from '../lib/session.js';
import { leadSentence, refusals, stageRows, stateKind } from '../lib/timeline.js';
import { Copy, Page, Pending, Problem, State, Time } from '../ui/basics.js';
import { ConfirmButton } from '../ui/dialog.js';
import { NotAllowed } from '../ui/not_allowed.js';
import { notify } from '../ui/notices.js';
import { Table } from '../ui/table.js';

export default function Run({ params }) {
  if (!may('read')) return html`<${NotAllowed} title="Run" scope="read" />`;
  return html`<${Readable} id=${params.id} />`;
}

function Readable({ id }) {
  const polled = usePolled(async () => {
    const [run, why] = await Promise.all([get(`/v1/executions/${id}`), get(`/v1/executions/${id}/explain`)]);
    return { run, why };
  }, [id]);
  const { value, reload } = polled;
  const title = value ? `Run of ${value.run.name ?? value.run.job_id}` : 'Run';
  return html`<${Page} title=${title} polled=${polled} actions=${value && html`<${Acts} run=${value.run} reload=${reload} />`}>
    ${value ? html`<${Found} ...${value} />` : html`<${Pending} polled=${polled} />`}
  <//>`;
}

function Acts({ run, reload }) {
  const why = refusals(run, may);
  const redrive = async () => {
    const { body } = await send('POST', `/v1/executions/${run.id}/redrive`);
    notify('Redriven: this is the new run.', { action: { label: 'Cancel it', act: () => cancel(body.id) } });
    go('run', { id: body.id });
  };
  const stop = async () => {
    await cancel(run.id);
    reload();
  };
  return html`
    <${ConfirmButton} label="Redrive" kind="primary" why=${why.redrive} act=${redrive}>
      <p>The request of this run is sent once more, now, with a new webhook-id and all attempts of its job. This run stays failed.</p>
    <//>
    <${ConfirmButton} label="Cancel" why=${why.cancel} act=${stop}>
      <p>No further attempt begins. An attempt that is running becomes the last.</p>
    <//>`;
}

function cancel(id) {
  return send('DELETE', `/v1/executions/${id}`, { query: { stop_retries: 'true' } });
}

function Found({ run, why }) {
  // Of a failed run, the answers of the receiver matter more than where the time went.
  const attempts = html`<${Attempts} key="attempts" run=${run} />`;
  const stages = html`<${Stages} key="stages" why=${why} />`;
  return html`
    <p class="lead">${leadSentence(run, why)}</p>
    <p><${State} kind=${stateKind(run.state)} word=${run.state} /> ${why.summary}</p>
    <dl class="facts">
      ${run.task ? html`<${Task} run=${run} />`
        : html`<div><dt>Job</dt><dd><a href=${href('job', { id: run.job_id })}>${run.name ?? run.job_id}</a></dd></div>`}
      <div><dt>Due</dt><dd><${Time} iso=${run.due_at} exact /></dd></div>
      ${run.lag_ms !== null && html`<div><dt>First call</dt><dd>${duration(run.lag_ms)} after that</dd></div>`}
      ${run.next_attempt_at && html`<div><dt>Next attempt</dt><dd><${Time} iso=${run.next_attempt_at} exact /></dd></div>`}
      ${run.missed && html`<div><dt>Skipped instants</dt><dd>${run.missed.count}</dd></div>`}
      ${run.run && html`<div><dt>Run of the workflow</dt><dd><a href=${href('workflowRun', { id: run.run })}>${run.run}</a></dd></div>`}
      ${run.event && html`<${Event} event=${run.event} />`}
      <${Kin} run=${run} />
      <div><dt>Id</dt><dd><code>${run.id}</code></dd></div>
    </dl>
    ${run.state === 'failed' ? [attempts, stages] : [stages, attempts]}
    ${run.state === 'failed' && html`<${Request} key=${run.id} run=${run} />`}
    <h2>Elsewhere</h2>
    <p class="actions">${runSnippets(run.id).map((each) => html`<${Copy} key=${each.label} ...${each} />`)}</p>
    <p><a href="v1/docs/guides/late-jobs">What helps against each reason</a></p>`;
}

/** The task of a workflow that this run is. */
function Task({ run }) {
  return html`
    <div><dt>Workflow</dt><dd><a href=${href('workflow', { id: run.job_id })}>${run.name ?? run.job_id}</a></dd></div>
    <div><dt>Task</dt><dd>${run.task.key} of <a href=${href('workflowRun', { id: run.task.run_id })}>its run</a></dd></div>`;
}

/** The event that has started this run. */
function Event({ event }) {
  return html`
    <div><dt>Event</dt><dd><code>${event.id}</code> of ${event.source}</dd></div>
    <div><dt>Trigger</dt><dd><a href=${href('triggers')}>${event.trigger}</a></dd></div>`;
}

/** The runs that this one stems from, or led to. */
function Kin({ run }) {
  const kin = [
    ['Redrive of', run.redrive_of], ['Redriven by', run.redriven_by], ['Notification', run.notification?.id],
    ['Notification of', run.notification_of],
  ].filter(([, id]) => id);
  return html`${kin.map(([label, id]) => html`<div key=${label}><dt>${label}</dt><dd><a href=${href('run', { id })}>${id}</a></dd></div>`)}`;
}

function Stages({ why }) {
  const attempts = why.attempts.filter((attempt) => attempt.stages.length > 0);
  if (attempts.length === 0) return null;
  return html`<h2>Where the time went</h2>
    ${attempts.map((attempt) => html`<${Timeline} key=${attempt.number} attempt=${attempt} />`)}`;
}

function Timeline({ attempt }) {
  const rows = stageRows(attempt);
  return html`<h3>Attempt ${attempt.number}</h3>
    <${Table} caption="Stages of attempt ${attempt.number}" rows=${rows} rowKey=${(row) => row.key} columns=${STAGE_COLUMNS} />`;
}

const STAGE_COLUMNS = [
  { key: 'label', label: 'Stage' },
  { key: 'words', label: 'What happened' },
  { key: 'duration', label: 'Took', numeric: true },
  { key: 'offset', label: 'After the due time', numeric: true },
  { key: 'bar', label: 'Share', render: (row) => html`<svg class="bar-of" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">
      <rect class="track" width="1000" height="10" /><rect class=${row.isWait ? 'wait' : 'accent'} x=${row.x} width=${row.width} height="10" />
    </svg>` },
];

function Attempts({ run }) {
  if (run.attempts.length === 0) return null;
  return html`<h2>Attempts</h2>
    <${Table} caption="Attempts" rows=${run.attempts} rowKey=${(row) => row.number} columns=${ATTEMPT_COLUMNS} />
    ${run.last_response_body && html`<details><summary>The last failing answer (${bytes(run.last_response_body.length)})</summary>
      <pre>${run.last_response_body}</pre></details>`}`;
}

const ATTEMPT_COLUMNS = [
  { key: 'number', label: 'Attempt' },
  { key: 'answer', label: 'Answer', render: (row) => html`<${State} kind=${row.reason === 'ok' ? 'ok' : 'failed'}
      word=${row.status === null ? row.reason.replaceAll('_', ' ') : `HTTP ${row.status}`} />` },
  { key: 'started', label: 'Began', render: (row) => html`<${Time} iso=${row.started_at} exact />` },
  { key: 'duration', label: 'Took', numeric: true, render: (row) => duration(row.duration_ms) },
];

/** The request of a failed run: asked for by a click, and its values by another one that the audit trail records. */
function Request({ run }) {
  const [found, setFound] = useState(null);
  const [error, setError] = useState(null);
  const show = async (query) => setFound(await get(`/v1/dead-letters/${run.id}`, query));
  const ask = () => show({}).then(() => setError(null), setError);
  return html`<section aria-label="Request"><h2>Request</h2>
    ${error && html`<${Problem} error=${error} retry=${ask} />`}
    ${!found && !error && html`<button type="button" onClick=${ask}>Show the request without its values</button>`}
    ${found && (found.request ? html`<${Sent} request=${found.request} />` : html`<p>The request is no longer kept.</p>`)}
    ${found?.request && !found.request.revealed && html`<${ConfirmButton} label="Reveal header values and body"
      why=${refusals(run, may).reveal} act=${() => show({ reveal: 'true' })}>
      <p>The values may be secret. The audit trail records that this key has seen them.</p><//>`}
    ${found?.request?.revealed && html`<button type="button" onClick=${() => setFound(null)}>Hide the request</button>`}
  </section>`;
}

function Sent({ request }) {
  return html`<pre class="request">${request.method} ${request.url}
${request.headers.map(({ name, value }) => `${name}: ${value}`).join('\n')}

${request.body ?? `[${bytes(request.body_bytes)}, withheld]`}</pre>`;
}
