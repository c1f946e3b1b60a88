// The runs of all tenants together, and charts of the runs of one.
import { html } from '../../lib/dom.js';
import { get } from '../../lib/api.js';
import { duration, localZone } from '../../lib/format.js';
import { DEFAULT_RANGE, completeSentence, lagChart, lagSentence, outcomeChart, outcomeSentence, statsQuery } from '../../lib/overview.js';
import { usePolled } from '../../lib/poll.js';
import { Live, Pending } from '../../ui/basics.js';
import { Chart } from '../../ui/chart.js';

export function AllRuns() {
  const polled = usePolled(() => get('/v1/admin/stats', statsQuery(DEFAULT_RANGE, Date.now())), []);
  const { value } = polled;
  if (!value) return html`<${Pending} polled=${polled} />`;
  return html`<h2>Runs of all tenants</h2><${Live} polled=${polled} /><${RunCharts} statistics=${value} />`;
}

/** The statistics of a day as charts. */
export function RunCharts({ statistics }) {
  return html`
    <${Chart} title="Runs by outcome" sentence=${outcomeSentence(statistics, DEFAULT_RANGE)} data=${outcomeChart(statistics)} />
    <${Chart} title="Lag of first calls" sentence=${lagSentence(statistics, DEFAULT_RANGE)} data=${lagChart(statistics)} kind="lines" format=${duration} />
    <p class="muted">${completeSentence({ ...statistics, buckets: [] }, localZone())}</p>`;
}
