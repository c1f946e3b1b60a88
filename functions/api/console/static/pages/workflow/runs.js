// The runs of one workflow, latest first.
import { html } from '../../lib/dom.js';
import { get } from '../../lib/api.js';
import { duration } from '../../lib/format.js';
import { useOlder } from '../../lib/older.js';
import { href } from '../../lib/route.js';
import { countWords, stateWords, workflowMark } from '../../lib/workflow_words.js';
import { Problem, State, Time } from '../../ui/basics.js';
import { Table } from '../../ui/table.js';

/** `first` is the newest page, which stays current; older pages are added when they are asked for. */
export function Runs({ id, first }) {
  const { rows, cursor, error, isLoading, more } = useOlder(first.runs, first.next_cursor, async (from) => {
    const page = await get(`/v1/workflows/${encodeURIComponent(id)}/runs`, { limit: 50, cursor: from });
    return { rows: page.runs, cursor: page.next_cursor };
  });
  if (!rows.length && !cursor) return html`<p>The workflow has not run yet.</p>`;
  return html`
    ${rows.length > 0 && html`<${Table} caption="Runs, latest first" columns=${COLUMNS} rows=${rows} />`}
    ${error && html`<${Problem} error=${error} retry=${more} />`}
    ${cursor && html`<button type="button" disabled=${isLoading} onClick=${more}>Older runs</button>`}`;
}

const COLUMNS = [
  { key: 'created', label: 'Began', render: (run) => html`<a href=${href('workflowRun', { id: run.id })}><${Time} iso=${run.created_at} exact /></a>` },
  { key: 'state', label: 'State', render: (run) => html`<${State} kind=${workflowMark(run.state)} word=${stateWords(run.state)} />` },
  { key: 'tasks', label: 'Tasks', render: (run) => countWords(run.counts) },
  { key: 'took', label: 'Took', numeric: true, render: (run) => duration(run.ended_at ? Date.parse(run.ended_at) - Date.parse(run.created_at) : null) },
  { key: 'redrives', label: 'Redrives', numeric: true, render: (run) => String(run.epoch - 1) },
  { key: 'revision', label: 'Revision', numeric: true },
];
