// The runs of one cell of the heat map.
import { html, useEffect, useRef, useState } from '../../lib/dom.js';
import { get } from '../../lib/api.js';
import { each } from '../../lib/bulk.js';
import { windowOf } from '../../lib/heat.js';
import { instant } from '../../lib/format.js';
import { titleOf } from '../../lib/job_words.js';
import { href, setQuery } from '../../lib/route.js';
import { Problem, Time } from '../../ui/basics.js';
import { Table } from '../../ui/table.js';

const NAMES_AT_MOST = 20;
const BASIS = { filed: 'stored', retry: 'retry', expected: 'will be created' };

export function CellRuns({ at, seconds }) {
  const [state, setState] = useState({ runs: null, cursor: null, error: null });
  const [names, setNames] = useState({});
  const heading = useRef(null);
  const endsAt = Date.parse(at) + seconds * 1000;
  const load = async () => {
    try {
      const query = state.cursor ? { ...state.window, cursor: state.cursor } : windowOf(at, seconds, Date.now());
      if (query === null) return setState({ ...state, runs: [], error: null });
      const page = await get('/v1/upcoming', query);
      const { cursor: _, ...window } = query;
      // The list includes a run at the very end of its window, which belongs to the next cell.
      const runs = [...(state.runs ?? []), ...page.runs.filter((run) => Date.parse(run.at) < endsAt)];
      setState({ runs, window, cursor: page.next_cursor, error: null });
      setNames({ ...names, ...await namesOf(page.runs, names) });
    } catch (error) {
      setState({ ...state, error });
    }
  };
  useEffect(() => {
    load();
    heading.current.focus();
  }, []);
  const columns = [
    { key: 'job', label: 'Job', render: (run) => html`<a href=${href('job', { id: run.job_id })}>${names[run.job_id] ?? run.job_id}</a>` },
    { key: 'at', label: 'Due', render: (run) => html`<${Time} iso=${run.at} exact />` },
    { key: 'basis', label: 'Basis', render: (run) => `${BASIS[run.basis]}${run.attempt > 1 ? `, attempt ${run.attempt}` : ''}` },
  ];
  return html`
    <section class="cell-runs" aria-label="Runs of the cell">
      <h2 tabindex="-1" ref=${heading}>Runs from ${instant(at).text}</h2>
      ${state.error && html`<${Problem} error=${state.error} retry=${load} />`}
      ${state.runs === null && !state.error && html`<p class="muted" role="status">Loading …</p>`}
      ${state.runs?.length === 0 && html`<p>${state.cursor ? 'None on this page.' : 'No run is due here any more.'}</p>`}
      ${state.runs?.length > 0 && html`<${Table} caption="Runs of the cell" columns=${columns} rows=${state.runs}
        rowKey=${(run) => `${run.execution_id} ${run.at}`} />`}
      <div class="actions">
        ${state.cursor && html`<button type="button" onClick=${load}>More runs</button>`}
        <button type="button" class="quiet" onClick=${() => setQuery({ at: null })}>Close</button>
      </div>
    </section>`;
}

/** The names of the first jobs, which the list of runs does not have. A name that cannot be read is left out. */
async function namesOf(runs, known) {
  const ids = [...new Set(runs.map((run) => run.job_id))].filter((id) => !(id in known)).slice(0, NAMES_AT_MOST);
  const found = await each(ids, (id) => get(`/v1/jobs/${encodeURIComponent(id)}`));
  return Object.fromEntries(found.filter((result) => result.value).map(({ item, value }) => [item, titleOf(value)]));
}
