// The heat map of the future: how many runs are due, step by step, and which.
import { html, useMemo, useRef, useState } from '../lib/dom.js';
import { get } from '../lib/api.js';
import { VIEWS, columnLabels, densityQuery, heatRows, heatSentence, moved, nonEmptySteps } from '../lib/heat.js';
import { count, localZone } from '../lib/format.js';
import { usePolled } from '../lib/poll.js';
import { setQuery } from '../lib/route.js';
import { localClock } from '../lib/zone_clock.js';
import { Empty, Page, Pending } from '../ui/basics.js';
import { CellRuns } from './upcoming/cell_runs.js';

const CREATE = 'punctual create --every 5m --url https://example.com/hooks/poll';

export default function Upcoming({ query }) {
  const view = Object.hasOwn(VIEWS, query.view ?? '') ? query.view : 'day';
  const polled = usePolled(() => get('/v1/upcoming/density', densityQuery(view, Date.now())), [view]);
  const density = polled.value;
  return html`
    <${Page} title="Upcoming" polled=${polled} />
    <${Views} view=${view} isTable=${query.as === 'table'} />
    <${Pending} polled=${polled} />
    ${density && html`<${Density} ...${{ view, density, query }} key=${view} />`}
    ${query.at && html`<${CellRuns} key="${query.at} ${view}" at=${query.at} seconds=${VIEWS[view].stepSeconds} />`}`;
}

function Views({ view, isTable }) {
  return html`
    <div class="views" role="group" aria-label="View">
      ${Object.keys(VIEWS).map((name) => html`<button type="button" key=${name} aria-pressed=${name === view}
        onClick=${() => setQuery({ view: name, at: null })}>${VIEWS[name].label}</button>`)}
      <label class="check"><input type="checkbox" checked=${isTable}
        onChange=${(event) => setQuery({ as: event.target.checked ? 'table' : null })} /> as a table</label>
    </div>`;
}

function Density({ view, density, query }) {
  const clock = useMemo(() => localClock(localZone(), view), [view]);
  const isEmpty = density.steps.every((step) => step.count === 0);
  if (isEmpty && density.complete) {
    return html`
      <${Empty} title="Nothing is due in this range" command=${CREATE}>
        <p>Choose a longer range, or create a job with the command line:</p>
      <//>`;
  }
  return html`
    <p>${heatSentence(density, clock.label)} Times are in ${clock.zone}.</p>
    ${!density.complete && html`<p class="warnings"><span aria-hidden="true">⚠ </span>Not all runs are counted, because there
      are too many runs or jobs. Nothing from ${clock.label(Date.parse(density.until))} on is counted.</p>`}
    ${density.estimated && html`<p class="muted">Too many runs are stored to read each of them: the counts follow from a sample.</p>`}
    ${query.as === 'table'
      ? html`<${StepTable} ...${{ density, clock }} />`
      : html`<${HeatMap} ...${{ view, density, clock, open: query.at }} />`}`;
}

/** The steps that have runs, in words. */
function StepTable({ density, clock }) {
  return html`
    <table class="rows">
      <caption>Runs by the beginning of their step; steps without runs are left out</caption>
      <thead><tr><th scope="col">From</th><th scope="col" class="number">Runs</th></tr></thead>
      <tbody>
        ${nonEmptySteps(density).map((step) => html`<tr key=${step.at}>
          <th scope="row"><button type="button" class="link" onClick=${() => setQuery({ at: step.at })}>${clock.label(Date.parse(step.at))}</button></th>
          <td class="number">${count(step.count)}</td></tr>`)}
      </tbody>
    </table>`;
}

/** A grid with one stop of the tab key; the arrow keys move in it, and Enter opens a cell. */
function HeatMap({ view, density, clock, open }) {
  const rows = useMemo(() => heatRows(view, density, {
    offsetOf: clock.offset, labelOf: clock.label, rowLabelOf: clock.rowLabel,
  }), [view, density]);
  const [place, setPlace] = useState(null);
  const grid = useRef(null);
  const current = place && rows[place.row]?.cells[place.column] ? place : firstPlace(rows);
  const move = (event) => {
    const next = moved(rows, current, event.key);
    if (next === null) return;
    event.preventDefault();
    setPlace(next);
    grid.current.querySelector(`[data-place="${next.row} ${next.column}"]`).focus();
  };
  return html`
    <div class="scroll">
      <table class="heat-map" role="grid" aria-label="Runs that are due" ref=${grid} onKeyDown=${move}>
        <thead><tr role="row"><td></td>${columnLabels(view).map((label) => html`<th scope="col" role="columnheader" key=${label}>${label}</th>`)}</tr></thead>
        <tbody>
          ${rows.map((row, index) => html`<tr role="row" key=${row.label}>
            <th scope="row" role="rowheader">${row.label}</th>
            ${row.cells.map((cell, column) => html`<${Cell} ...${{ cell, open }} place="${index} ${column}" key=${column}
              isStop=${current.row === index && current.column === column} onFocus=${() => setPlace({ row: index, column })} />`)}
          </tr>`)}
        </tbody>
      </table>
    </div>
    <p class="heat-legend" aria-hidden="true">fewer ${[0, 1, 2, 3, 4].map((shade) => html`<span key=${shade} class="heat-cell heat-${shade}"></span>`)} more</p>`;
}

function Cell({ cell, open, place, isStop, onFocus }) {
  if (!cell) return html`<td role="gridcell"></td>`;
  const at = new Date(cell.at).toISOString();
  const runs = cell.count === 1 ? '1 run' : `${count(cell.count)} runs`;
  return html`
    <td role="gridcell" aria-selected=${open === at}>
      <button type="button" class="heat-cell heat-${cell.shade}" data-place=${place} tabindex=${isStop ? '0' : '-1'}
        aria-label="${cell.label}: ${runs}" title="${cell.label}: ${runs}" onFocus=${onFocus}
        onClick=${() => setQuery({ at })}>${cell.count ? short(cell.count) : ''}</button>
    </td>`;
}

const short = (n) => (n < 1000 ? String(n) : `${Math.floor(n / 1000)}k`);

function firstPlace(rows) {
  return { row: 0, column: rows[0].cells.findIndex((cell) => cell !== null) };
}
