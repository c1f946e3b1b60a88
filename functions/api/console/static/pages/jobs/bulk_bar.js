// Acts on chosen jobs: single requests for rows, a bulk operation for all that match the filter.
import { html, useState } from '../../lib/dom.js';
import { send } from '../../lib/api.js';
import { useAttempt } from '../../lib/attempt.js';
import {
  ACTIONS, EMPTY_CHOICE, VERBS, bulkBody, each, inverseOf, planSentences, requestFor, startLabel, whyNoBulk,
  willChange,
} from '../../lib/bulk.js';
import { plural } from '../../lib/format.js';
import { titleOf } from '../../lib/job_words.js';
import { href, setQuery } from '../../lib/route.js';
import { ALL, NONE, inWords } from '../../lib/selection.js';
import { whyNot } from '../../lib/session.js';
import { Act, Problem } from '../../ui/basics.js';
import { Dialog } from '../../ui/dialog.js';
import { notify } from '../../ui/notices.js';
import { ChoiceFields } from './choice_fields.js';

export function BulkBar({ filters, rows, selection, setSelection, hasMore, onDone }) {
  const [action, setAction] = useState(null);
  const chosen = inWords(selection);
  const whyFor = (each) => whyNot('write') ?? (chosen ? null : 'Choose jobs first.')
    ?? (selection.isAll ? whyNoBulk(filters, each) : null);
  const close = () => setAction(null);
  const finish = () => {
    close();
    setSelection(NONE);
    onDone();
  };
  return html`
    <div class="bulk-bar" role="group" aria-label="Acts on chosen jobs">
      <p role="status">${chosen ? `Chosen: ${chosen}` : 'No job is chosen.'}</p>
      ${selection.isAll
        ? html`<button type="button" class="quiet" onClick=${() => setSelection(NONE)}>Choose none</button>`
        : html`<button type="button" class="quiet" onClick=${() => setSelection(ALL)}>
            ${hasMore ? 'Choose all that match the filter, on every page' : 'Choose all that match the filter'}</button>`}
      <div class="actions">
        ${ACTIONS.map((each) => html`<${Act} key=${each} label=${VERBS[each][0]} why=${whyFor(each)}
          kind=${each === 'delete' ? 'danger' : ''} onClick=${() => setAction(each)} />`)}
      </div>
    </div>
    ${action && (selection.isAll
      ? html`<${BulkDialog} action=${action} filters=${filters} onClose=${close} onStarted=${finish} />`
      : html`<${RowsDialog} action=${action} rows=${rows.filter((row) => selection.ids.includes(row.id))}
          onClose=${close} onDone=${finish} />`)}`;
}

/** All that match: a dry run first, then the operation with its plan. */
function BulkDialog({ action, filters, onClose, onStarted }) {
  const [choice, setChoice] = useState(EMPTY_CHOICE);
  const [plan, setPlan] = useState(null);
  const { isBusy, error, attempt } = useAttempt();
  const [verb] = VERBS[action];
  const change = (part) => {
    setChoice((before) => ({ ...before, ...part }));
    // The plan is for another act now; its pace alone may change.
    if (!('rate' in part)) setPlan(null);
  };
  const look = () => attempt(async () => {
    setPlan((await send('POST', '/v1/jobs/bulk', { body: bulkBody(action, filters, choice) })).body);
  });
  const start = () => attempt(async () => {
    const { body } = await send('POST', '/v1/jobs/bulk', { body: bulkBody(action, filters, choice, plan.plan) });
    setQuery({ operation: body.id });
    onStarted();
  });
  return html`
    <${Dialog} title="${verb} all jobs that match" onClose=${onClose}>
      <p>${filterWords(filters)}</p>
      <${ChoiceFields} action=${action} choice=${choice} change=${change} isBulk isOnce=${filters.kind === 'once'} />
      ${error && html`<${Problem} error=${error} />`}
      ${plan && html`<${Plan} action=${action} plan=${plan} />`}
      <div class="actions">
        <button type="button" class=${plan ? '' : 'primary'} aria-busy=${isBusy} onClick=${look}>
          ${plan ? 'Look again' : 'Dry run'}</button>
        ${plan && plan.count > 0 && html`<button type="button" class=${action === 'delete' ? 'danger' : 'primary'}
          aria-busy=${isBusy} onClick=${start}>${startLabel(action, plan)}</button>`}
        <button type="button" onClick=${onClose}>Cancel</button>
      </div>
    <//>`;
}

function filterWords(filters) {
  const parts = Object.entries(filters).map(([name, value]) => `${name} = ${value}`);
  return parts.length ? `Filter: ${parts.join(', ')}.` : 'There is no filter: every recurring job is selected.';
}

function Plan({ action, plan }) {
  return html`
    <div class="plan" role="status">
      ${planSentences(action, plan).map((text) => html`<p>${text}</p>`)}
      ${plan.warnings.map((text) => html`<p><span aria-hidden="true">⚠ </span>${text}</p>`)}
      ${plan.examples.length > 0 && html`<details><summary>The first ${plan.examples.length}</summary>
        <ul>${plan.examples.map((job) => html`<li key=${job.id}><a href=${href('job', { id: job.id })}>${titleOf(job)}</a> (${job.state})</li>`)}</ul>
      </details>`}
    </div>`;
}

/** Chosen rows: one request for each, and what came of it. */
function RowsDialog({ action, rows: given, onClose, onDone }) {
  // The list goes on behind the dialog: what was chosen stays chosen here.
  const [rows] = useState(given);
  const [choice, setChoice] = useState(EMPTY_CHOICE);
  const [results, setResults] = useState([]);
  const [isBusy, setIsBusy] = useState(false);
  const [verb, participle] = VERBS[action];
  const refused = results.filter((result) => result.error);
  const run = async () => {
    if (isBusy) return;
    setIsBusy(true);
    const done = await each(rows, (row) => request(action, row, choice), { onProgress: setResults });
    setIsBusy(false);
    offerUndo(action, rows, done, onDone);
    if (done.every((result) => !result.error)) onDone();
  };
  const isOver = results.length === rows.length && !isBusy;
  return html`
    <${Dialog} title="${verb} ${plural(rows.length, 'job')}" onClose=${isOver ? onDone : onClose}>
      <ul>${rows.slice(0, 10).map((row) => html`<li key=${row.id}>${titleOf(row)}</li>`)}</ul>
      ${rows.length > 10 && html`<p>And ${rows.length - 10} more.</p>`}
      ${action === 'delete' && html`<p><b>The jobs are deleted at once, and there is no undo.</b></p>`}
      <${ChoiceFields} action=${action} choice=${choice} change=${(part) => setChoice({ ...choice, ...part })} />
      ${(isBusy || results.length > 0) && html`
        <p role="status">${results.length - refused.length} of ${rows.length} ${participle}.</p>
        <progress aria-label="Progress" max=${rows.length} value=${results.length}></progress>`}
      ${refused.map(({ item, error }) => html`<p class="error" key=${item.id}>${titleOf(item)}: ${error.message}</p>`)}
      <div class="actions">
        ${!isOver && html`<button type="button" class=${action === 'delete' ? 'danger' : 'primary'} aria-busy=${isBusy} onClick=${run}>${verb}</button>`}
        <button type="button" onClick=${isOver ? onDone : onClose}>${isOver ? 'Close' : 'Cancel'}</button>
      </div>
    <//>`;
}

async function request(action, row, choice) {
  const { method, path, ...options } = requestFor(action, row, choice);
  return (await send(method, path, options)).body;
}

function offerUndo(action, rows, results, onDone) {
  const inverse = inverseOf(action);
  const done = results.filter((result) => !result.error);
  if (!done.length) return;
  const text = `${plural(done.length, 'job')} ${VERBS[action][1]}`;
  // The job as the answer shows it: a job that another request has changed since is left alone.
  const changed = done.filter(({ item }) => willChange(action, item)).map(({ value }) => value);
  const undo = async () => {
    const undone = await each(changed, (job) => request(inverse, job, EMPTY_CHOICE));
    const failed = undone.filter((result) => result.error).length;
    notify(failed ? `${plural(failed, 'job was', 'jobs were')} changed since, and left alone` : 'Undone', { kind: failed ? 'failed' : 'ok' });
    onDone();
  };
  notify(text, { action: inverse && changed.length ? { label: 'Undo', act: undo } : null });
}
