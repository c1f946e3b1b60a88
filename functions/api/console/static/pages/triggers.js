// The triggers: which events start which jobs.
import { html } from '../lib/dom.js';
import { get, send } from '../lib/api.js';
import { usePolled } from '../lib/poll.js';
import { href } from '../lib/route.js';
import { may, whyNot } from '../lib/session.js';
import { patternLines, startsOf, stateOf } from '../lib/trigger_words.js';
import { Empty, Page, Pending, State, Time } from '../ui/basics.js';
import { ConfirmButton } from '../ui/dialog.js';
import { NotAllowed } from '../ui/not_allowed.js';
import { notify } from '../ui/notices.js';
import { Table } from '../ui/table.js';

const CREATE = 'punctual triggers put large-orders --job $JOB --pattern \'{"source": ["shop"]}\'';
const NEEDS_WRITE = 'This key lacks the scope write.';

export default function Triggers() {
  if (!may('read')) return html`<${NotAllowed} title="Triggers" scope="read" />`;
  return html`<${Readable} />`;
}

function Readable() {
  const polled = usePolled(() => get('/v1/triggers'), []);
  const rows = polled.value?.triggers ?? [];
  const remove = async (trigger, seen) => {
    await send('DELETE', `/v1/triggers/${trigger.name}`, { ifMatch: `"${seen}"` });
    notify('Events start no more runs by this trigger.');
    polled.reload();
  };
  return html`
    <${Page} title="Triggers" polled=${polled} actions=${html`<${New} />`} />
    <p>Each event that a pattern matches starts a run. <a href="v1/docs/guides/triggers">React to an event</a></p>
    <${Pending} polled=${polled} />
    ${rows.length > 0 && html`<${Table} caption="Triggers" columns=${columns(remove)} rows=${rows} rowKey=${(row) => row.name} />`}
    ${polled.value && !rows.length && html`<${None} />`}`;
}

function New() {
  const why = whyNot('write');
  return why ? html`<span class="muted">${why}</span>` : html`<a class="button primary" href=${href('newTrigger')}>New trigger</a>`;
}

function columns(remove) {
  return [
    { key: 'name', label: 'Trigger', render: (row) => (may('write')
    ? html`<a href=${href('newTrigger', {}, { name: row.name })}>${row.name}</a>` : html`<b>${row.name}</b>`) },
    { key: 'pattern', label: 'Pattern', render: (row) => html`<pre>${patternLines(row.pattern)}</pre>` },
    { key: 'job', label: 'Job', render: (row) => html`<a href=${href('job', { id: row.job_id })}>${row.job_id}</a>` },
    { key: 'starts', label: 'Starts', render: startsOf },
    { key: 'state', label: 'State', render: (row) => html`<${Now} trigger=${row} />` },
    { key: 'changed', label: 'Last change', render: (row) => html`<${Time} iso=${row.changed_at} exact /> (version ${row.version})` },
    { key: 'delete', label: 'Delete', render: (row) => html`<${ConfirmButton} label="Delete" kind="danger" title="Delete a trigger"
        why=${may('write') ? null : NEEDS_WRITE} seen=${row.version} act=${(seen) => remove(row, seen)}>
        <p>Events start no more runs by <b>${row.name}</b>. Runs that it has started are left alone.</p><//>` },
  ];
}

function Now({ trigger }) {
  const { kind, word, run } = stateOf(trigger, Date.now());
  return html`<${State} kind=${kind} word=${word} />${run && html` <a href=${href('run', { id: run })}>its latest run</a>`}`;
}

function None() {
  return html`
    <${Empty} title="There are no triggers yet" command=${CREATE}>
      <p>A trigger starts a job for each event that its pattern matches. <a href=${href('newTrigger')}>Create one here</a>, with the API,
        or with the command line:</p>
    <//>`;
}
