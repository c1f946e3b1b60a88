// Create a trigger, or edit one.
import { html, useEffect, useRef, useState } from '../lib/dom.js';
import { get, read, send } from '../lib/api.js';
import { isEqual } from '../lib/job_patch.js';
import { titleOf } from '../lib/job_words.js';
import { go, href } from '../lib/route.js';
import { may, whyNot } from '../lib/session.js';
import { DELIVERIES, EMPTY, bodyOf, errorsByField, fieldErrors, formOf } from '../lib/trigger_form.js';
import { patternLines, startsOf } from '../lib/trigger_words.js';
import { Act, Page, Problem } from '../ui/basics.js';
import { notify } from '../ui/notices.js';
import { useDraft, useHolding, useLeaveGuard } from './job_form/editor.js';
import { controls } from './job_form/fields.js';

const pathOf = (name) => `/v1/triggers/${encodeURIComponent(name)}`;

export default function TriggerForm({ query }) {
  return query.name ? html`<${Edit} name=${query.name} key=${query.name} />` : html`<${Form} key="" title="New trigger" />`;
}

function Edit({ name }) {
  const [state, setState] = useState({ found: null, error: null });
  const load = () => read(pathOf(name)).then((found) => setState({ found, error: null }), (error) => setState({ found: null, error }));
  useEffect(() => { load(); }, []);
  const title = `Edit the trigger ${name}`;
  if (state.found) return html`<${Form} title=${title} first=${state.found} />`;
  return html`<${Page} title=${title} />
    ${state.error ? html`<${Problem} error=${state.error} retry=${load} />` : html`<p class="muted" role="status">Loading …</p>`}`;
}

/** `first` is the answer with the trigger that is edited: {body, etag}. */
function Form({ title, first = null }) {
  const draftName = `trigger ${first?.body.name ?? ''}`;
  const draft = useDraft(draftName);
  const [known, setKnown] = useState(draft?.known ?? first);
  const [form, setForm] = useState(draft?.form ?? (first ? formOf(first.body) : EMPTY));
  const [refusal, setRefusal] = useState({ errors: [], error: null });
  const [rival, setRival] = useState(null);
  const [isBusy, setIsBusy] = useState(false);
  const isDirty = useRef(draft !== null);
  useLeaveGuard(isDirty);
  useHolding(isDirty, draftName, () => ({ form, known }));

  const { fields, rest } = errorsByField(refusal.errors);
  const isUnchanged = known !== null && isEqual(form, formOf(known.body));
  const why = whyNot('write') ?? (isUnchanged ? 'Nothing is changed yet.' : null);
  const change = (part) => {
    isDirty.current = true;
    setForm((before) => ({ ...before, ...part }));
    // The error of a field that is typed in is out of date.
    setRefusal(({ errors }) => ({
      error: null, errors: errors.filter((each) => !Object.keys(part).some((name) => errorsByField([each]).fields[name])),
    }));
  };
  const submit = async (event) => {
    event.preventDefault();
    if (why || isBusy) return;
    const { body, errors } = bodyOf(form);
    setRefusal({ errors, error: null });
    if (errors.length) return;
    setIsBusy(true);
    try {
      await save(body);
    } catch (error) {
      await refuse(error).catch((second) => setRefusal({ errors: [], error: second }));
      setIsBusy(false);
    }
  };
  const save = async (body) => {
    const name = form.name.trim();
    await send('PUT', pathOf(name), { body, ...(known ? { ifMatch: known.etag } : { ifNoneMatch: '*' }) });
    isDirty.current = false;
    notify(`The trigger ${name} is saved.`);
    go('triggers');
  };
  const refuse = async (error) => {
    if (known && error.status === 412) return setRival(await read(pathOf(form.name)));
    const errors = fieldErrors(error);
    return setRefusal(errors ? { errors, error: null } : { errors: [], error });
  };
  const settle = (isTheirs) => {
    if (isTheirs) setForm(formOf(rival.body));
    setKnown(rival);
    setRival(null);
  };

  return html`
    <${Page} title=${title} actions=${html`<a href=${href('triggers')}>All triggers</a>`} />
    <form class="job-form" onSubmit=${submit} novalidate>
      <div class="job-form-fields">
        ${draft && html`<p role="status">The entries are as they were when the session ended. Nothing was saved.</p>`}
        <${Fields} form=${form} change=${change} errors=${fields} isEdit=${known !== null} />
        ${refusal.error && html`<${Problem} error=${refusal.error} />`}
        ${refusal.errors.length > 0 && html`<div class="problem" role="alert">
          <p><strong>The trigger was not saved.</strong> ${Object.keys(fields).length ? 'See the fields that are marked.' : ''}</p>
          ${rest.length > 0 && html`<ul>${rest.map((text) => html`<li>${text}</li>`)}</ul>`}</div>`}
        ${rival && html`<${Rival} trigger=${rival.body} settle=${settle} />`}
        <div class="actions"><${Act} type="submit" label="Save the trigger" kind="primary" why=${why} isBusy=${isBusy} /></div>
      </div>
      <aside class="job-form-preview" aria-label="What the trigger will do">
        <h2>What it will do</h2>
        <p>Each event that the pattern matches starts a run ${startsOf(bodyOf(form).body)}.</p>
        <p><a href="v1/docs/guides/triggers">React to an event</a> explains patterns, with examples.</p>
      </aside>
    </form>`;
}

/** Another request was faster. Nothing is saved or lost until the user has chosen. */
function Rival({ trigger, settle }) {
  return html`<div class="problem" role="alert">
    <p><strong>The trigger was changed meanwhile.</strong> Nothing was saved. It is now at version ${trigger.version}, of the job
      ${' '}<code>${trigger.job_id}</code>, and starts its runs ${startsOf(trigger)}:</p>
    <pre>${patternLines(trigger.pattern)}</pre>
    <div class="actions">
      <button type="button" class="primary" onClick=${() => settle(false)}>Keep my entries</button>
      <button type="button" onClick=${() => settle(true)}>Take the other side</button>
    </div>
    <p class="hint">"Keep my entries" returns to the form: the next saving replaces the other side.</p>
  </div>`;
}

function Fields({ form, change, errors, isEdit }) {
  const { text, area, choice } = controls({ form, change, errors });
  const jobs = useJobs();
  const chosen = jobs.find(({ id }) => id === form.jobId.trim());
  return html`
    <fieldset><legend>Events</legend>
      ${text('name', 'Name', { required: true, readOnly: isEdit, hint: isEdit ? 'A trigger keeps its name.' : 'Lower-case letters, digits and hyphens.' })}
      ${area('pattern', 'Pattern', { required: true, placeholder: '{"source": ["shop"], "type": ["order.paid"]}',
        hint: 'JSON in the pattern language of Amazon EventBridge, for the members source, type, id and data of an event.' })}
    </fieldset>
    <fieldset><legend>Run</legend>
      ${text('jobId', 'Job', { required: true, list: 'jobs-of-triggers', placeholder: 'job_r…',
        hint: chosen ? titleOf(chosen) : 'The id of a recurring job, which may start a workflow. It may be paused.' })}
      <datalist id="jobs-of-triggers">${jobs.map((job) => html`<option key=${job.id} value=${job.id}>${titleOf(job)}</option>`)}</datalist>
      ${choice('delivery', 'Due', DELIVERIES)}
      ${form.delivery === 'delay' && text('delaySeconds', 'Seconds after the event', { required: true, inputmode: 'numeric' })}
      ${form.delivery === 'debounce' && html`
        ${text('debounceSeconds', 'Seconds without a further event', { required: true, inputmode: 'numeric' })}
        ${text('debounceMaxSeconds', 'At the latest, seconds after the first event', { inputmode: 'numeric', hint: 'Empty: ten times as long.' })}`}
      <div class="pair">
        ${text('throttleCount', 'At most so many runs', { inputmode: 'numeric', hint: 'Empty: no limit.' })}
        ${text('throttleSeconds', 'in so many seconds', { inputmode: 'numeric' })}
      </div>
      ${text('set', 'Set', { hint: 'The group that it belongs to, such as one file; empty for none.' })}
    </fieldset>`;
}

/** The first recurring jobs, to choose from: an id of any other can be typed. */
function useJobs() {
  const [jobs, setJobs] = useState([]);
  useEffect(() => {
    if (may('read')) get('/v1/jobs', { limit: 100 }).then((page) => setJobs(page.jobs.filter(({ kind }) => ['cron', 'rate'].includes(kind))), () => {});
  }, []);
  return jobs;
}
