// Charts: drawn by uPlot, said in a sentence, and readable as a table.
import uPlot from '../vendor/uPlot.mjs';
import { html, useLayoutEffect, useRef } from '../lib/dom.js';
import { count, instant } from '../lib/format.js';
import { bands, padded, steps, timeLabels } from '../lib/chart_data.js';
import { Folded } from './folded.js';
import { Table } from './table.js';

const HEIGHT = 180;
/** Colours are properties of the style sheet, so that light and dark have their own. */
const COLOURS = { ok: '--ok', failed: '--failed', wait: '--wait', muted: '--muted', accent: '--accent' };

/**
 * A chart over time.
 *
 * @param {string} title
 * @param {string} sentence what the chart says
 * @param {{at: number[], series: {key: string, label: string, kind: string, values: (number|null)[]}[]}} data
 *   `at` in seconds since 1970
 * @param {'bars'|'lines'} kind bars are stacked, so that their top is the sum
 * @param {(value: number|null) => string} format a value as text
 */
export function Chart({ title, sentence, data, kind = 'bars', format = count, zone }) {
  const place = useRef(null);
  useLayoutEffect(() => draw(place.current, data, kind, format, zone), [JSON.stringify(data), kind]);
  return html`<figure class="chart">
    <figcaption><strong>${title}.</strong> ${sentence}</figcaption>
    <ul class="legend">${data.series.map((each) => html`<li key=${each.key}><svg viewBox="0 0 10 10" class=${each.kind} aria-hidden="true">
      <rect width="10" height="10" /></svg>${each.label}</li>`)}</ul>
    <div ref=${place} class="plot" aria-hidden="true"></div>
    <${Folded} summary="${title} as a table">
      <${Table} caption=${title} rows=${rowsOf(data)} rowKey=${(row) => row.at} columns=${[
        { key: 'at', label: 'From', render: (row) => instant(row.at * 1_000, zone).text },
        ...data.series.map((each) => ({
          key: each.key, label: each.label, numeric: true, render: (row) => format(row[each.key]),
        })),
      ]} />
    <//>
  </figure>`;
}

function rowsOf({ at, series }) {
  return at.map((start, index) => ({ at: start, ...Object.fromEntries(series.map(({ key, values }) => [key, values[index]])) }));
}

/** Draw, follow the width and the colour scheme; returns what ends that. */
function draw(place, data, kind, format, zone) {
  let plot = null;
  const redraw = () => {
    plot?.destroy();
    plot = new uPlot(options(place, data, kind, format, zone), values(data, kind), place);
  };
  redraw();
  const watched = new ResizeObserver(() => plot.setSize({ width: place.clientWidth || 1, height: HEIGHT }));
  watched.observe(place);
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  scheme.addEventListener('change', redraw);
  return () => {
    watched.disconnect();
    scheme.removeEventListener('change', redraw);
    plot.destroy();
  };
}

function values(data, kind) {
  return [data.at, ...(kind === 'bars' ? bands(data.series) : data.series).map((each) => each.values)];
}

function options(place, data, kind, format, zone) {
  const style = getComputedStyle(place);
  const colour = (name) => style.getPropertyValue(name).trim();
  const axis = { stroke: colour('--text'), grid: { stroke: colour('--edge'), width: 1 }, ticks: { stroke: colour('--edge') } };
  const shape = kind === 'bars'
    ? (each) => ({ fill: colour(COLOURS[each.kind]), paths: uPlot.paths.bars({ size: [0.8, 40] }), points: { show: false } })
    : () => ({ width: 2, points: { show: true, size: 6 }, spanGaps: false });
  const shown = kind === 'bars' ? bands(data.series) : data.series;
  return {
    width: place.clientWidth || 1,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    axes: [{ ...axis, values: (_, splits) => timeLabels(splits, zone) }, { ...axis, size: 70, splits: steps, values: (_, splits) => splits.map((each) => format(each)) }],
    scales: { x: { range: () => padded(data.at) }, y: { range: (_, least, most) => [0, 1.05 * Math.max(1, most ?? 1)] } },
    series: [{}, ...shown.map((each) => ({ stroke: colour(COLOURS[each.kind]), width: 0, ...shape(each) }))],
  };
}
