// The acts on one job.
import { html, useState } from '../../lib/dom.js';
import { send } from '../../lib/api.js';
import { titleOf } from '../../lib/job_words.js';
import { go, href } from '../../lib/route.js';
import { whyNot } from '../../lib/session.js';
import { Act, Field } from '../../ui/basics.js';
import { ConfirmButton } from '../../ui/dialog.js';
import { notify } from '../../ui/notices.js';
import { BackfillDialog } from './backfill.js';

const ENDED = ['deleted', 'deleting', 'succeeded', 'failed', 'cancelled', 'skipped'];

/** Why no copy can be made of a job. */
function whyNoCopy(job) {
  if (job.kind === 'backfill') return 'A backfill is made by the job that it belongs to.';
  return job.target ? 'The API does not show the message of a target: create the job with the command line.' : null;
}

/** Why the state of the job forbids an act; null where it does not. */
export function whyNotOf(job, act) {
  if (ENDED.includes(job.state)) return `The job is ${job.state}.`;
  if (job.kind === 'once' && act !== 'edit' && act !== 'delete') return 'A job that runs once has no schedule to act on.';
  if (job.kind === 'backfill' && (act === 'trigger' || act === 'backfill')) return 'A backfill makes the runs of its range only.';
  if (job.state === 'completed' && act !== 'backfill' && act !== 'delete' && act !== 'edit') return 'The schedule has ended.';
  if (act === 'resume' && job.state !== 'paused') return `The job is ${job.state}.`;
  return act === 'pause' && job.state === 'paused' ? 'The job is paused already.' : null;
}

export function JobActs({ job, etag, onDone }) {
  const [isBackfilled, setIsBackfilled] = useState(false);
  const path = `/v1/jobs/${encodeURIComponent(job.id)}`;
  const why = (act) => whyNot('write') ?? whyNotOf(job, act);
  const whyEdit = why('edit');
  const whyCopy = whyNot('write') ?? whyNoCopy(job);
  return html`
    <div class="actions job-acts">
      <${Trigger} path=${path} why=${why('trigger')} onDone=${onDone} />
      ${job.state === 'paused'
        ? html`<${Resume} path=${path} why=${why('resume')} onDone=${onDone} />`
        : html`<${Pause} path=${path} why=${why('pause')} onDone=${onDone} job=${job} />`}
      ${whyEdit ? html`<${Act} label="Edit" why=${whyEdit} />` : html`<a class="button" href=${href('editJob', { id: job.id })}>Edit</a>`}
      ${whyCopy ? html`<${Act} label="Copy" why=${whyCopy} />` : html`<a class="button" href=${href('newJob', {}, { from: job.id })}>Copy</a>`}
      <${Act} label="Backfill" why=${why('backfill')} onClick=${() => setIsBackfilled(true)} />
      <${Delete} path=${path} etag=${etag} why=${why('delete')} onDone=${onDone} job=${job} />
    </div>
    ${isBackfilled && html`<${BackfillDialog} job=${job} onClose=${() => setIsBackfilled(false)} />`}`;
}

function Trigger({ path, why, onDone }) {
  return html`
    <${Pressed} label="Trigger" why=${why} act=${async () => {
      const { body: run } = await send('POST', `${path}/trigger`);
      notify('A run was started', { action: { label: 'Show the run', act: async () => go('run', { id: run.id }) } });
      await onDone();
    }} />`;
}

function Resume({ path, why, onDone }) {
  return html`
    <${Pressed} label="Resume" why=${why} act=${async () => {
      await send('POST', `${path}/resume`);
      notify('The job was resumed');
      await onDone();
    }} />`;
}

/** An act without a question. Its error is a message. */
function Pressed({ label, why, act }) {
  const [isBusy, setIsBusy] = useState(false);
  const press = async () => {
    setIsBusy(true);
    await act().catch((error) => notify(`${label}: ${error.message}`, { kind: 'failed' }));
    setIsBusy(false);
  };
  return html`<${Act} label=${label} why=${why} isBusy=${isBusy} onClick=${press} />`;
}

function Pause({ path, job, why, onDone }) {
  const [reason, setReason] = useState('');
  const act = async () => {
    await send('POST', `${path}/pause`, { body: reason.trim() ? { reason: reason.trim() } : {} });
    notify('The job was paused', { action: { label: 'Undo', act: async () => {
      await send('POST', `${path}/resume`);
      await onDone();
    } } });
    onDone();
  };
  return html`
    <${ConfirmButton} label="Pause" title="Pause ${titleOf(job)}" why=${why} act=${act}>
      <p>No run of the schedule starts until the job is resumed. Instants of the pause are skipped, and never caught up.</p>
      <${Field} label="Reason" hint="Shown with the job; may be empty.">
        <input value=${reason} maxlength="200" autocomplete="off" onInput=${(event) => setReason(event.target.value)} />
      <//>
    <//>`;
}

function Delete({ path, job, etag, why, onDone }) {
  const [isLast, setIsLast] = useState(false);
  const isOnce = job.kind === 'once';
  const label = isOnce ? 'Cancel' : 'Delete';
  const act = async (seen) => {
    await send('DELETE', path, { ifMatch: seen, query: isLast ? { stop_retries: 'true' } : {} });
    notify(`${titleOf(job)} was ${isOnce ? 'cancelled' : 'deleted'}`);
    onDone();
  };
  return html`
    <${ConfirmButton} label=${isOnce ? 'Cancel the job' : label} title="${label} ${titleOf(job)}?" kind="danger" why=${why} seen=${etag} act=${act}>
      <p>${isOnce
        ? 'The job ends, and no attempt starts any more.'
        : 'The next runs and retries end, and so do the backfills of the job. There is no undo.'}</p>
      ${isOnce && html`<label class="check"><input type="checkbox" checked=${isLast}
        onChange=${(event) => setIsLast(event.target.checked)} /> If an attempt is running, make it the last one</label>`}
    <//>`;
}
