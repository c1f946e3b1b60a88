// The calendars that schedules may name: those of the tenant, and those of the operators.
import { html } from '../lib/dom.js';
import { get } from '../lib/api.js';
import { contentWords, weekendWords, windowState } from '../lib/calendar_words.js';
import { usePolled } from '../lib/poll.js';
import { href } from '../lib/route.js';
import { may, whyNot } from '../lib/session.js';
import { Empty, Page, Pending, State, Time } from '../ui/basics.js';
import { NotAllowed } from '../ui/not_allowed.js';
import { Table } from '../ui/table.js';

const CREATE = 'punctual calendars put plant --country DE --out 2030-12-24';

export default function Calendars() {
  if (!may('read')) return html`<${NotAllowed} title="Calendars" scope="read" />`;
  return html`<${Readable} />`;
}

function Readable() {
  const polled = usePolled(() => get('/v1/calendars'), []);
  const { calendars = [], shared = [] } = polled.value ?? {};
  return html`
    <${Page} title="Calendars" polled=${polled} actions=${html`<${New} />`} />
    <p>A schedule that names a calendar has no run on its excluded days and in its windows, or moves it.
      ${' '}<a href="v1/docs/guides/schedule-jobs">Schedule jobs</a></p>
    <${Pending} polled=${polled} />
    ${calendars.length > 0 && html`<${Table} caption="Calendars" columns=${COLUMNS} rows=${calendars} rowKey=${nameOf} />`}
    ${polled.value && !calendars.length && html`<${None} />`}
    ${shared.length > 0 && html`<section aria-label="Calendars of the operators">
      <h2>Of the operators</h2>
      <${Table} caption="Calendars of the operators" columns=${COLUMNS} rows=${shared} rowKey=${nameOf} />
    </section>`}`;
}

function New() {
  const why = whyNot('write');
  return why ? html`<span class="muted">${why}</span>` : html`<a class="button primary" href=${href('newCalendar')}>New calendar</a>`;
}

const nameOf = ({ name }) => name;
const COLUMNS = [
  { key: 'name', label: 'Calendar', render: ({ name }) => html`<a href=${href('calendar', { id: name })}>${name}</a>` },
  { key: 'country', label: 'Country', render: ({ country }) => country ?? '–' },
  { key: 'weekend', label: 'Weekend', render: weekendWords },
  { key: 'content', label: 'Dates and windows', render: contentWords },
  { key: 'now', label: 'Now', render: (row) => html`<${Now} windows=${row.blackouts} />` },
  { key: 'set', label: 'Set', render: ({ set }) => set ?? '–' },
  { key: 'changed', label: 'Last change', render: (row) => html`<${Time} iso=${row.changed_at} exact /> (version ${row.version})` },
];

/** Whether a window of a calendar is open. */
function Now({ windows }) {
  const isOpen = windows.some((each) => windowState(each, Date.now()).word === 'now');
  return isOpen ? html`<${State} kind="paused" word="in a window" />` : '–';
}

function None() {
  return html`
    <${Empty} title="There are no calendars yet" command=${CREATE}>
      <p>A calendar has the days on which jobs do not run: holidays, weekends, dates of your own, and windows such as those of a
        deployment. A schedule can name a country, such as DE, without one. <a href=${href('newCalendar')}>Create a calendar here</a>,
        with the API, or with the command line:</p>
    <//>`;
}
