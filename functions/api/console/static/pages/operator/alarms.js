// The alarms of the deployment: what is wrong now, since when, and the page that says what to do.
import { html } from '../../lib/dom.js';
import { alarmAdvice, alarmSentence, alarmState, runbookPage } from '../../lib/alarms.js';
import { get } from '../../lib/api.js';
import { count } from '../../lib/format.js';
import { usePolled } from '../../lib/poll.js';
import { setQuery } from '../../lib/route.js';
import { Empty, Live, Pending, State, Time } from '../../ui/basics.js';
import { Table } from '../../ui/table.js';

export function Alarms({ query }) {
  const polled = usePolled(() => get('/v1/admin/alarms', { limit: 100, cursor: query.cursor }), [query.cursor]);
  const { value, error } = polled;
  return html`<h2>Alarms</h2>
    ${value ? html`<${Live} polled=${polled} /><${Found} page=${value} />` : html`<${Pending} polled=${polled} />`}
    ${error && html`<p>${alarmAdvice(error)}</p>`}
    <p class="actions">
      ${query.cursor && html`<button type="button" onClick=${() => setQuery({ cursor: null })}>First</button>`}
      ${value?.next_cursor && html`<button type="button" onClick=${() => setQuery({ cursor: value.next_cursor }, { replace: false })}>Further</button>`}
    </p>`;
}

function Found({ page: { alarms, next_cursor: next } }) {
  if (alarms.length === 0) {
    return html`<${Empty} title="This deployment has no alarms"><p>A stage in the cloud makes its alarms itself. They say whether
      calls begin in time, and whether the service needs an operator.</p><//>`;
  }
  const inState = (state) => alarms.filter((alarm) => alarm.state === state);
  const raised = inState('alarm');
  return html`<p class=${raised.length > 0 ? 'lead' : ''}>${alarmSentence(alarms, next !== null)}</p>
    ${raised.length > 0 && html`<${Rows} caption="In alarm" alarms=${raised} />`}
    <${Others} title="Alarms that cannot be judged yet" alarms=${inState('insufficient_data')} />
    <${Others} title="Alarms that are ok" alarms=${inState('ok')} />`;
}

function Others({ title, alarms }) {
  if (alarms.length === 0) return null;
  return html`<details><summary>${title}: ${count(alarms.length)}</summary><${Rows} caption=${title} alarms=${alarms} /></details>`;
}

function Rows({ caption, alarms }) {
  return html`<${Table} caption=${caption} rows=${alarms} rowKey=${(alarm) => alarm.name} columns=${COLUMNS} />`;
}

const COLUMNS = [
  { key: 'name', label: 'Alarm', render: (alarm) => html`<code>${alarm.name}</code>` },
  { key: 'state', label: 'State', render: (alarm) => html`<${State} ...${alarmState(alarm.state)} />` },
  { key: 'since', label: 'Since', render: (alarm) => html`<${Time} iso=${alarm.since} />` },
  { key: 'meaning', label: 'What is wrong', render: (alarm) => html`${alarm.meaning}
    ${alarm.reason && html`<details><summary>Values behind the state</summary><p>${alarm.reason}</p></details>`}
    ${!alarm.notifies && html`<p class="muted">It notifies no operator.</p>`}` },
  { key: 'runbook', label: 'What to do', render: (alarm) => html`<${Runbook} alarm=${alarm} />` },
];

function Runbook({ alarm: { name, runbook } }) {
  const page = runbookPage(runbook);
  if (page === null) return html`<span>${runbook ?? '–'}</span>`;
  return html`<a href=${page} aria-label="Runbook of ${name}">Runbook</a>`;
}
