// Create or edit what has a name of its own, such as a trigger: nothing that another request has made or changed is replaced unseen.
import { html, useEffect, useRef, useState } from '../lib/dom.js';
import { read, send } from '../lib/api.js';
import { isEqual } from '../lib/job_patch.js';
import { href } from '../lib/route.js';
import { whyNot } from '../lib/session.js';
import { Act, Page, Problem } from '../ui/basics.js';
import { notify } from '../ui/notices.js';
import { useDraft, useHolding, useLeaveGuard } from './job_form/editor.js';

/** What another request has left of something that it has deleted. */
const GONE = { body: null };

/**
 * @param {string} name of what is edited; without, something is created
 * @param {{noun: string, list: string, pathOf: (name: string) => string, EMPTY: object, formOf: (found: object) => object,
 *   bodyOf: (form: object) => {body: object, errors: object[]}, fieldErrors: (error: any) => object[] | null,
 *   errorsByField: (errors: object[]) => {fields: Record<string, string>, rest: string[]}, onSaved: (name: string) => void,
 *   Fields: any, Preview: any, Rival: any}} kind `list` is the page of all of them. `Fields` gets {form, change, errors, isEdit},
 *   `Preview` the form, and `Rival` what another request has stored meanwhile
 */
export function NamedForm({ name, kind }) {
  return name ? html`<${Edit} name=${name} kind=${kind} key=${name} />` : html`<${Form} key="" kind=${kind} title="New ${kind.noun}" />`;
}

function Edit({ name, kind }) {
  const [state, setState] = useState({ found: null, error: null });
  const load = () => read(kind.pathOf(name)).then((found) => setState({ found, error: null }), (error) => setState({ found: null, error }));
  useEffect(() => { load(); }, []);
  const title = `Edit the ${kind.noun} ${name}`;
  if (state.found) return html`<${Form} title=${title} kind=${kind} first=${state.found} />`;
  return html`<${Page} title=${title} />
    ${state.error ? html`<${Problem} error=${state.error} retry=${load} />` : html`<p class="muted" role="status">Loading …</p>`}`;
}

/** `first` is the answer with what is edited: {body, etag}. */
function Form({ title, kind, first = null }) {
  const { noun, formOf, bodyOf, errorsByField } = kind;
  const draftName = `${noun} ${first?.body.name ?? ''}`;
  const draft = useDraft(draftName);
  const [known, setKnown] = useState(draft?.known ?? first);
  const [form, setForm] = useState(draft?.form ?? (first ? formOf(first.body) : kind.EMPTY));
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
      error: null, errors: errors.filter((each) => !Object.keys(part).some((field) => errorsByField([each]).fields[field])),
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
    await send('PUT', kind.pathOf(name), { body, ...(known ? { ifMatch: known.etag } : { ifNoneMatch: '*' }) });
    isDirty.current = false;
    notify(`The ${noun} ${name} is saved.`);
    kind.onSaved(name);
  };
  const refuse = async (error) => {
    if (known && error.status === 412) return setRival(await read(kind.pathOf(form.name)).catch(goneOr));
    const errors = kind.fieldErrors(error);
    return setRefusal(errors ? { errors, error: null } : { errors: [], error });
  };
  const settle = (isTheirs) => {
    if (isTheirs) {
      isDirty.current = false;
      setForm(formOf(rival.body));
    }
    setKnown(rival === GONE ? null : rival);
    setRival(null);
  };

  return html`
    <${Page} title=${title} actions=${html`<a href=${href(kind.list)}>All ${noun}s</a>`} />
    <form class="job-form" onSubmit=${submit} novalidate>
      <div class="job-form-fields">
        ${draft && html`<p role="status">The entries are as they were when the session ended. Nothing was saved.</p>`}
        <${kind.Fields} form=${form} change=${change} errors=${fields} isEdit=${known !== null} />
        ${refusal.error && html`<${Problem} error=${refusal.error} />`}
        ${refusal.errors.length > 0 && html`<div class="problem" role="alert">
          <p><strong>The ${noun} was not saved.</strong> ${Object.keys(fields).length ? 'See the fields that are marked.' : ''}</p>
          ${rest.length > 0 && html`<ul>${rest.map((text) => html`<li>${text}</li>`)}</ul>`}</div>`}
        ${rival === GONE && html`<${Gone} noun=${noun} settle=${settle} />`}
        ${rival?.body && html`<${Conflict} noun=${noun} version=${rival.body.version} settle=${settle}><${kind.Rival} found=${rival.body} /><//>`}
        <div class="actions"><${Act} type="submit" label="Save the ${noun}" kind="primary" why=${why} isBusy=${isBusy} /></div>
      </div>
      <aside class="job-form-preview" aria-label="What the ${noun} will do">
        <h2>What it will do</h2>
        <${kind.Preview} form=${form} />
      </aside>
    </form>`;
}

function goneOr(error) {
  if (error.status === 404) return GONE;
  throw error;
}

function Gone({ noun, settle }) {
  return html`<div class="problem" role="alert">
    <p><strong>The ${noun} was deleted meanwhile.</strong> Nothing was saved.</p>
    <div class="actions"><button type="button" class="primary" onClick=${() => settle(false)}>Keep my entries</button></div>
    <p class="hint">"Keep my entries" returns to the form: the next saving creates the ${noun} anew.</p>
  </div>`;
}

/** Another request was faster. Nothing is saved or lost until the user has chosen. */
function Conflict({ noun, version, settle, children }) {
  return html`<div class="problem" role="alert">
    <p><strong>The ${noun} was changed meanwhile.</strong> Nothing was saved. It is now at version ${version}:</p>
    ${children}
    <div class="actions">
      <button type="button" class="primary" onClick=${() => settle(false)}>Keep my entries</button>
      <button type="button" onClick=${() => settle(true)}>Take the other side</button>
    </div>
    <p class="hint">"Keep my entries" returns to the form: the next saving replaces the other side.</p>
  </div>`;
}
