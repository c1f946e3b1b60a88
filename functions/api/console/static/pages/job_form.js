// Create a job, or edit one.
import { html, useEffect, useMemo, useRef, useState } from '../lib/dom.js';
import { read, send } from '../lib/api.js';
import { keyOf } from '../lib/attempt.js';
import { EMPTY, ONCE_KINDS, copyOf, creationOf, documentOf, formOf, rebased } from '../lib/job_form.js';
import { isEqual, mergePatch } from '../lib/job_patch.js';
import { creationSnippets } from '../lib/job_snippets.js';
import { titleOf } from '../lib/job_words.js';
import { go, href } from '../lib/route.js';
import { whyNot } from '../lib/session.js';
import { Act, Copy, Page, Problem } from '../ui/basics.js';
import { notify } from '../ui/notices.js';
import { Preview } from '../ui/schedule.js';
import { useDraft, useEditor } from './job_form/editor.js';
import { AlertFields, DeliveryFields, NameFields, RequestFields, ScheduleFields } from './job_form/fields.js';
import { ExistingKey } from './job_form/existing_key.js';
import { Conflict, Review } from './job_form/review.js';

export default function JobForm({ params, query }) {
  if (params.id) return html`<${Edit} id=${params.id} key=${params.id} />`;
  return query.from ? html`<${CopyOf} id=${query.from} key=${query.from} />` : html`<${Create} key="" />`;
}

/** A new job that begins with the members of another one. */
function CopyOf({ id }) {
  const { loaded, pending } = useLoaded(id, 'New job');
  if (!loaded) return pending;
  const { job } = loaded;
  return html`<${Create} start=${copyOf(job)} name="copy ${id}">
    <p>A copy of <a href=${href('job', { id })}>${titleOf(job)}</a>.${' '}
      ${job.request && html`The API shows no headers and no body of a job: type those that the call needs.`}</p><//>`;
}

function Create({ start = EMPTY, name = NEW, children }) {
  const draft = useDraft(name);
  // Kept with the draft: a creation whose answer was a refusal of the key may have taken effect at an earlier try.
  const attempt = useRef(draft?.attempt ?? null);
  const editor = useEditor(start, draft, { name, more: () => ({ attempt: attempt.current }) });
  const [existing, setExisting] = useState(null);
  const { form } = editor;
  const creation = useMemo(() => creationOf(form), [form]);
  const key = ONCE_KINDS.includes(form.kind) ? '' : form.key.trim();

  const created = (job) => {
    editor.settle();
    notify(`${titleOf(job)} was created`);
    go('job', { id: job.id });
  };
  const submit = () => editor.submit(creation.errors, async () => {
    if (key) {
      const { body } = await putByKey(key, creation.body, true);
      if (body.change !== 'created') return setExisting(body);
      return created((await putByKey(key, creation.body, false)).body.job);
    }
    return created((await send('POST', '/v1/jobs', { body: creation.body, idempotencyKey: keyOf(attempt, JSON.stringify(creation.body)) })).body);
  });
  const replace = async () => created((await putByKey(key, creation.body, false)).body.job);

  return html`
    <${Page} title="New job" />
    ${children}
    <${Form} editor=${editor} onSubmit=${submit} label="Create the job">
      <${Snippets} body=${creation.body} jobKey=${key} />
    <//>
    ${existing && html`<${ExistingKey} put=${existing} jobKey=${key} act=${replace} onClose=${() => setExisting(null)} />`}`;
}

/** The names of the drafts of the forms. */
const NEW = 'new';
const draftName = (id) => `edit ${id}`;

const putByKey = (key, body, isDryRun) => send('PUT', `/v1/jobs/by-key/${encodeURIComponent(key)}`, {
  body, query: isDryRun ? { dry_run: 'true' } : {},
});

/** The job of an id, and what the page shows until it is there: {loaded, pending}. */
function useLoaded(id, title) {
  const [loaded, setLoaded] = useState(null);
  const [error, setError] = useState(null);
  const load = async () => {
    setError(null);
    try {
      setLoaded(await loadedJob(id));
    } catch (refusal) {
      setError(refusal);
    }
  };
  useEffect(() => { load(); }, []);
  const shown = error ? html`<${Problem} error=${error} retry=${load} />` : html`<p class="muted" role="status">Loading …</p>`;
  return { loaded, pending: html`<${Page} title=${title} />${shown}` };
}

function Edit({ id }) {
  const draft = useDraft(draftName(id));
  const { loaded, pending } = useLoaded(id, 'Edit a job');
  if (!loaded) return pending;
  // A draft starts from the job as it was then. A change since then is shown beside it, as one at the saving is.
  const isChanged = draft !== null && draft.loaded.etag !== loaded.etag;
  return html`<${EditLoaded} id=${id} first=${isChanged ? draft.loaded : loaded} rival=${isChanged ? loaded : null} draft=${draft} />`;
}

/** The job as the form starts from it. */
async function loadedJob(id) {
  const { body: job, etag } = await read(`/v1/jobs/${encodeURIComponent(id)}`);
  return { job, etag, form: formOf(job) };
}

function EditLoaded({ id, first, rival, draft }) {
  const [loaded, setLoaded] = useState(first);
  const editor = useEditor(first.form, draft, { name: draftName(id), more: () => ({ loaded }) });
  const [isReviewed, setIsReviewed] = useState(false);
  const [saving, setSaving] = useState({ isBusy: false, error: null });
  const [theirs, setTheirs] = useState(rival);
  const { form } = editor;
  const base = useMemo(() => documentOf(loaded.form).document, [loaded]);
  const { document: mine, errors } = useMemo(() => documentOf(form), [form]);

  const review = () => editor.submit(errors, async () => setIsReviewed(true));
  const save = async () => {
    setSaving({ isBusy: true, error: null });
    try {
      const path = `/v1/jobs/${encodeURIComponent(id)}`;
      const { body: job } = await send('PATCH', path, { body: mergePatch(base, mine), ifMatch: loaded.etag });
      editor.settle();
      notify(`${titleOf(job)} was saved, as revision ${job.revision}`);
      go('job', { id: job.id });
    } catch (error) {
      await failed(error);
    }
  };
  const failed = async (error) => {
    if (error.status === 412) {
      try {
        setTheirs(await loadedJob(id));
        setIsReviewed(false);
        setSaving({ isBusy: false, error: null });
      } catch (refusal) {
        setSaving({ isBusy: false, error: refusal });
      }
      return;
    }
    setSaving({ isBusy: false, error });
    if (error.status === 422) {
      setIsReviewed(false);
      editor.refuse(error);
    }
  };
  const settleConflict = (next) => {
    editor.replace(next);
    setLoaded(theirs);
    setTheirs(null);
  };

  return html`
    <${Page} title="Edit ${titleOf(loaded.job)}" actions=${html`<a href=${href('job', { id })}>Back to the job</a>`} />
    <${Form} editor=${editor} onSubmit=${review} label="Review the changes" isEdit wasOnce=${ONCE_KINDS.includes(loaded.form.kind)}
      whyNothing=${isEqual(base, mine) ? 'Nothing is changed yet.' : null} isBackfill=${loaded.job.kind === 'backfill'} />
    ${isReviewed && html`<${Review} base=${base} after=${mine} preview=${editor.preview} ...${saving}
      hasNewSchedule=${!isEqual(base.schedule, mine.schedule)} onSave=${save} onClose=${() => setIsReviewed(false)} />`}
    ${theirs && html`<${Conflict} base=${base} mine=${mine} theirs=${documentOf(theirs.form).document}
      revision=${theirs.job.revision} onKeep=${() => settleConflict(rebased(loaded.form, form, theirs.form))}
      onTake=${() => settleConflict(theirs.form)} onClose=${() => setTheirs(null)} />`}`;
}

function Form({ editor, onSubmit, label, isEdit = false, wasOnce, whyNothing = null, isBackfill = false, children }) {
  const why = whyNot('write') ?? whyNothing;
  const props = { form: editor.form, change: editor.change, errors: editor.fields, isEdit, wasOnce };
  const submit = (event) => {
    event.preventDefault();
    if (!why) onSubmit();
  };
  return html`
    <form class="job-form" onSubmit=${submit} novalidate>
      <div class="job-form-fields">
        ${editor.isRestored && html`<p role="status">The entries are as they were when the session ended. Nothing was saved.</p>`}
        <${NameFields} ...${props} />
        ${isBackfill ? html`<p class="hint">Of a backfill only the name and the tags can be changed.</p>` : html`
          <${ScheduleFields} ...${props} />
          <${RequestFields} ...${props} />
          <${DeliveryFields} ...${props} />
          <${AlertFields} ...${props} />`}
        <${Refusal} editor=${editor} />
        <div class="actions">
          <${Act} type="submit" label=${label} kind="primary" why=${why} isBusy=${editor.isBusy} />
        </div>
      </div>
      <aside class="job-form-preview" aria-label="What the schedule will do">
        <${Live} preview=${editor.preview} />
        ${children}
      </aside>
    </form>`;
}

function Refusal({ editor }) {
  const count = Object.keys(editor.fields).length;
  return html`
    ${editor.error && html`<${Problem} error=${editor.error} />`}
    ${editor.isRefused && html`
      <div class="problem" role="alert">
        <p><strong>The job was not saved.</strong> ${count ? 'See the fields that are marked.' : ''}</p>
        ${editor.rest.length > 0 && html`<ul>${editor.rest.map((text) => html`<li>${text}</li>`)}</ul>`}
      </div>`}`;
}

function Live({ preview }) {
  const { value, error, isLoading } = preview;
  return html`
    <h2>What it will do</h2>
    <div aria-live="polite" aria-busy=${isLoading}>
      ${value && html`<${Preview} preview=${value} />`}
      ${error?.status === 422 && html`<p class="error">${error.problem.detail}</p>`}
      ${!value && !error && html`<p class="muted">Type a schedule to see its words, its next runs and its clock changes.</p>`}
    </div>`;
}

function Snippets({ body, jobKey }) {
  if (!(body.workflow || body.request?.url) || !Object.keys(body.schedule).length) return null;
  return html`
    <h2>As a command or as code</h2>
    <p class="hint">Headers and body are part of the text.</p>
    ${creationSnippets(body, jobKey, location.origin).map(({ label, text }) => html`
      <${Copy} key=${label} label="Copy as ${label}" text=${text} />`)}`;
}
