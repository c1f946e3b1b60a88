// The alarms of the deployment: what is wrong now, since when, and the page that says what to do.
import { html } from '../../lib/dom.js';
import { alarmAdvice, alarmSentence, alarmState, runbookPage } from '../../lib/alarms.js';
import { get } from '../../lib/api.js';
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
  const loud = alarms.filter((alarm) => alarm.state !== 'ok');
  const quiet = alarms.filter((alarm) => alarm.state === 'ok');
  return html`<p class=${alarms[0].state === 'alarm' ? 'lead' : ''}>${alarmSentence(alarms, next !== null)}</p>
    ${loud.length > 0 && html`<${Rows} caption="Alarms that need a look" alarms=${loud} />`}
    ${quiet.length > 0 && html`<details><summary>Alarms that are ok</summary><${Rows} caption="Alarms that are ok" alarms=${quiet} /></details>`}`;
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
