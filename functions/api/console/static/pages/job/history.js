// The runs of one job, newest first.
import { html } from '../../lib/dom.js';
import { get } from '../../lib/api.js';
import { duration } from '../../lib/format.js';
import { markOf } from '../../lib/job_words.js';
import { useOlder } from '../../lib/older.js';
import { href } from '../../lib/route.js';
import { Problem, State, Time } from '../../ui/basics.js';
import { Table } from '../../ui/table.js';

const REASONS = { attempts_used_up: 'all attempts have failed', not_retryable: 'the receiver refused for good' };

/** `first` is the newest page, which stays current; older pages are added when they are asked for. */
export function History({ id, first }) {
  const { rows, cursor, error, isLoading, more } = useOlder(first.executions, first.next_cursor, async (from) => {
    const page = await get(`/v1/jobs/${encodeURIComponent(id)}/executions`, { limit: 50, cursor: from });
    return { rows: page.executions, cursor: page.next_cursor };
  });
  if (!rows.length) return html`<p>The job has not run yet.</p>`;
  return html`
    <p class="marks" aria-hidden="true">${rows.slice(0, 20).reverse().map((run) => html`<${State} key=${run.id} kind=${markOf(run.state)} word="" />`)}</p>
    <${Table} caption="Runs, newest first" columns=${COLUMNS} rows=${rows} />
    ${error && html`<${Problem} error=${error} retry=${more} />`}
    ${cursor && html`<button type="button" disabled=${isLoading} onClick=${more}>Older runs</button>`}`;
}

const COLUMNS = [
  { key: 'scheduled_at', label: 'For', render: (run) => html`<a href=${href('run', { id: run.id })}><${Time} iso=${run.scheduled_at} exact /></a>` },
  { key: 'state', label: 'Outcome', render: (run) => html`<${State} kind=${markOf(run.state)} word=${run.state} />` },
  { key: 'why', label: 'Reason', render: reasonOf },
  { key: 'lag', label: 'Late by', numeric: true, render: (run) => duration(run.lag_ms) },
  { key: 'attempts', label: 'Attempts', numeric: true, render: (run) => String(run.attempts_begun) },
];

function reasonOf(run) {
  const last = run.attempts.at(-1);
  const status = last && last.reason !== 'ok' ? `${last.reason.replaceAll('_', ' ')}${last.status ? ` ${last.status}` : ''}` : '';
  const end = run.end_reason ? REASONS[run.end_reason] ?? run.end_reason.replaceAll('_', ' ') : '';
  const missed = run.missed ? `${run.missed.count} instants` : '';
  return [end, status, missed].filter(Boolean).join(' · ') || '–';
}
