// One calendar: its days and windows, and the acts on it.
import { html } from '../lib/dom.js';
import { get, read, send } from '../lib/api.js';
import { datesByYear, isShared, weekendWords, windowState } from '../lib/calendar_words.js';
import { usePolled } from '../lib/poll.js';
import { go, href } from '../lib/route.js';
import { may, whyNot } from '../lib/session.js';
import { Page, Pending, Problem, State, Time } from '../ui/basics.js';
import { ConfirmButton } from '../ui/dialog.js';
import { NotAllowed } from '../ui/not_allowed.js';
import { notify } from '../ui/notices.js';
import { Table } from '../ui/table.js';

const pathOf = (name) => `/v1/calendars/${encodeURIComponent(name)}`;

export default function Calendar({ params }) {
  if (!may('read')) return html`<${NotAllowed} title="Calendar" scope="read" />`;
  return html`<${Readable} name=${params.id} />`;
}

function Readable({ name }) {
  const polled = usePolled(() => found(name), [name]);
  if (!polled.value) return html`<${Page} title="Calendar ${name}" /><${Pending} polled=${polled} />`;
  const { body: calendar, etag } = polled.value;
  return html`
    <${Page} title="Calendar ${name}" polled=${polled} actions=${html`<a href=${href('calendars')}>All calendars</a>`} />
    ${polled.error && html`<${Problem} error=${polled.error} retry=${polled.reload} />`}
    ${calendar === null ? html`<p>The operators have no calendar of this name.</p>`
      : html`<${Shown} calendar=${calendar} />${isShared(name) ? html`<p class="muted">The operators change this calendar.</p>`
        : html`<${Acts} calendar=${calendar} etag=${etag} />`}`}`;
}

/** {body, etag}. A calendar of the operators is in the list only, and has no etag; its body is null where it is not there. */
async function found(name) {
  if (!isShared(name)) return read(pathOf(name));
  const { shared } = await get('/v1/calendars');
  return { body: shared.find((each) => each.name === name) ?? null, etag: null };
}

function Shown({ calendar }) {
  const facts = [
    ['Country', calendar.country], ['Weekend', weekendWords(calendar)], ['Set', calendar.set], ['Version', calendar.version],
    ['Last change', html`<${Time} iso=${calendar.changed_at} exact />`],
  ];
  return html`
    <dl class="facts">
      ${facts.filter(([, value]) => value).map(([label, value]) => html`<div key=${label}><dt>${label}</dt><dd>${value}</dd></div>`)}
    </dl>
    <${Dates} title="Excluded dates" dates=${calendar.dates_out} none="None beside the weekend${calendar.country ? ' and the holidays' : ''}." />
    <${Dates} title="Business days in any case" dates=${calendar.dates_in} none="None." />
    <section aria-label="Windows without runs">
      <h2>Windows without runs</h2>
      ${calendar.blackouts.length ? html`<${Table} caption="Windows without runs" columns=${WINDOW_COLUMNS} rows=${calendar.blackouts}
        rowKey=${({ from, until, reason }) => `${from} ${until} ${reason}`} />` : html`<p>None.</p>`}
    </section>`;
}

function Dates({ title, dates, none }) {
  return html`<section aria-label=${title}>
    <h2>${title}</h2>
    ${dates.length ? html`<dl class="facts">${datesByYear(dates).map(([year, days]) => html`
      <div key=${year}><dt>${year}</dt><dd>${days.map(({ iso, words }) => html`<time key=${iso} class="tag" datetime=${iso}>${words}</time> `)}</dd></div>`)}
    </dl>` : html`<p>${none}</p>`}
  </section>`;
}

const WINDOW_COLUMNS = [
  { key: 'start', label: 'From', render: ({ from }) => html`<${Time} iso=${from} exact />` },
  { key: 'end', label: 'To, exclusive', render: ({ until }) => html`<${Time} iso=${until} exact />` },
  { key: 'reason', label: 'Reason', render: ({ reason }) => reason || '–' },
  { key: 'state', label: 'State', render: (each) => html`<${State} ...${windowState(each, Date.now())} />` },
];

function Acts({ calendar, etag }) {
  const remove = async (seen) => {
    await send('DELETE', pathOf(calendar.name), { ifMatch: seen });
    notify(`The calendar ${calendar.name} was deleted`);
    go('calendars');
  };
  const why = whyNot('write');
  return html`
    <div class="actions">
      ${!why && html`<a class="button" href=${href('newCalendar', {}, { name: calendar.name })}>Edit</a>`}
      <${ConfirmButton} label="Delete" title="Delete the calendar ${calendar.name}?" kind="danger" why=${why}
        seen=${etag} act=${remove}>
        <p>A calendar that jobs name is not deleted: the answer says which jobs those are. There is no undo.</p>
      <//>
    </div>`;
}
