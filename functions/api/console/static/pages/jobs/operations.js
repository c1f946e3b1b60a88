// Bulk operations: the progress of one, and the latest ones.
import { html, useState } from '../../lib/dom.js';
import { get, send } from '../../lib/api.js';
import { VERBS, progressOf, refusalSentences, taskTitle } from '../../lib/bulk.js';
import { count } from '../../lib/format.js';
import { usePolled } from '../../lib/poll.js';
import { href, setQuery } from '../../lib/route.js';
import { whyNot } from '../../lib/session.js';
import { Act, Pending, Problem, Time } from '../../ui/basics.js';
import { Table } from '../../ui/table.js';

/** One operation with its progress, its cancellation and its undo. `onChange` is called when it has gone on. */
export function Operation({ id, onChange }) {
  const path = `/v1/bulk-tasks/${encodeURIComponent(id)}`;
  const polled = usePolled(async () => {
    const task = await get(path);
    onChange();
    return task;
  }, [id]);
  const [error, setError] = useState(null);
  const [isBusy, setIsBusy] = useState(false);
  const act = async (method, address) => {
    setIsBusy(true);
    setError(null);
    await send(method, address).then(polled.reload, setError);
    setIsBusy(false);
  };
  const task = polled.value;
  if (!task) return html`<${Pending} polled=${polled} />`;
  const progress = progressOf(task);
  const why = whyNot('write');
  return html`
    <section class="operation" aria-label="Bulk operation">
      <h2>${taskTitle(task)}</h2>
      <p role="status">${progress.sentence}${progress.isMoving && task.left ? ` ${count(task.left)} are left, at most ${task.rate} a second.` : ''}</p>
      <progress aria-label="Progress of the operation" max=${progress.max} value=${progress.value}></progress>
      ${refusalSentences(task.counts.refused).map((text) => html`<p>${text}</p>`)}
      ${task.counts.changed_since > 0 && html`<p>${count(task.counts.changed_since)} were changed since, and are left alone.</p>`}
      ${error && html`<${Problem} error=${error} />`}
      <div class="actions">
        ${progress.canUndo && html`<${Act} label="Undo" why=${why} isBusy=${isBusy} onClick=${() => act('POST', `${path}/undo`)} />`}
        ${progress.canCancel && html`<${Act} label="Stop" why=${why} isBusy=${isBusy} onClick=${() => act('DELETE', path)} />`}
        <button type="button" class="quiet" onClick=${() => setQuery({ operation: null })}>Close</button>
      </div>
    </section>`;
}

/** The latest operations, which are loaded when they are asked for. */
export function RecentOperations() {
  const [isOpen, setIsOpen] = useState(false);
  return html`
    <details class="recent" onToggle=${(event) => setIsOpen(event.target.open)}>
      <summary>Bulk operations</summary>
      ${isOpen && html`<${LoadedOperations} />`}
    </details>`;
}

function LoadedOperations() {
  const polled = usePolled(() => get('/v1/bulk-tasks', { limit: 20 }), []);
  if (!polled.value) return html`<${Pending} polled=${polled} />`;
  if (!polled.value.operations.length) return html`<p>There was none. Choose jobs, then an act.</p>`;
  return html`<${Table} caption="Bulk operations" columns=${COLUMNS} rows=${polled.value.operations} />`;
}

const COLUMNS = [
  { key: 'action', label: 'Operation', render: (task) => html`<a href=${href('jobs', {}, { operation: task.id })}>${VERBS[task.action][0]}</a>` },
  { key: 'created_at', label: 'Begun', render: (task) => html`<${Time} iso=${task.created_at} />` },
  { key: 'state', label: 'State', render: (task) => progressOf(task).sentence },
];
