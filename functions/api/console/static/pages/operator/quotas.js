// Change the quotas of a tenant: a form, and a last look that shows what another operator has changed meanwhile.
import { html, useState } from '../../lib/dom.js';
import { get, send } from '../../lib/api.js';
import { labelOf, quotaChanges, quotaErrors, quotaForm, quotaPatch } from '../../lib/tenant.js';
import { Act, Field, Problem } from '../../ui/basics.js';
import { Dialog } from '../../ui/dialog.js';
import { notify } from '../../ui/notices.js';

/** Folded until it is needed. It starts from the tenant as it is when it is opened, and polling changes no field. */
export function QuotaEditor({ tenant, path, onSaved }) {
  const [isOpen, setIsOpen] = useState(false);
  const saved = async () => {
    setIsOpen(false);
    onSaved();
  };
  return html`<details class="make" open=${isOpen} onToggle=${(event) => setIsOpen(event.target.open)}>
    <summary>Change the quotas</summary>
    ${isOpen && html`<${Form} start=${tenant} path=${path} onSaved=${saved} />`}
  </details>`;
}

function Form({ start, path, onSaved }) {
  const [base, setBase] = useState(() => quotaForm(start));
  const [texts, setTexts] = useState(base);
  const [review, setReview] = useState(null);
  const [state, setState] = useState({ isBusy: false, error: null });
  const { fields, rest } = quotaErrors(state.error ?? {});
  const why = quotaPatch(base, texts) ? null : 'Nothing is changed yet.';

  const attempt = async (act) => {
    if (state.isBusy) return;
    setState({ isBusy: true, error: null });
    try {
      await act();
      setState({ isBusy: false, error: null });
    } catch (error) {
      setReview(null);
      setState({ isBusy: false, error });
    }
  };
  const look = (event) => {
    event.preventDefault();
    if (!why) attempt(async () => setReview(quotaForm(await get(path))));
  };
  const save = () => attempt(async () => {
    await send('PATCH', path, { body: quotaPatch(base, texts) });
    notify('The quotas are saved. Functions use them within a minute.');
    await onSaved();
  });
  const take = () => {
    setTexts(review);
    setBase(review);
    setReview(null);
  };
  const edit = (name) => (event) => setTexts({ ...texts, [name]: event.target.value });
  return html`<form onSubmit=${look} class="quotas" novalidate>
    <p class="hint">An empty limit is the default of the deployment. Above 99,999, most limits mean unlimited.</p>
    <div class="quota-fields">${Object.keys(texts).map((name) => html`
      <${Field} key=${name} label=${labelOf(name)} error=${fields[name]}>
        <input name=${name} value=${texts[name]} inputmode="numeric" autocomplete="off" placeholder="default" onInput=${edit(name)} /><//>`)}</div>
    ${state.error && html`<${Failure} error=${state.error} fields=${fields} rest=${rest} />`}
    <div class="actions"><${Act} type="submit" label="Review the quotas" kind="primary" why=${why} isBusy=${state.isBusy} /></div>
  </form>
  ${review && html`<${Review} changes=${quotaChanges(base, review, texts)} isBusy=${state.isBusy} onSave=${save} onTake=${take}
    onClose=${() => setReview(null)} />`}`;
}

function Failure({ error, fields, rest }) {
  if (Object.keys(fields).length === 0) return html`<${Problem} error=${error} />`;
  return html`<div class="problem" role="alert"><p><strong>Nothing was saved.</strong> See the fields that are marked. ${rest.join(' ')}</p></div>`;
}

function Review({ changes, isBusy, onSave, onTake, onClose }) {
  const conflicts = changes.filter((change) => change.isConflict);
  return html`<${Dialog} title=${conflicts.length ? 'The quotas were changed meanwhile' : 'Save these quotas?'} onClose=${onClose}>
    ${conflicts.length > 0 && html`<p>Another request has changed a limit that you change, too. Saving replaces it.</p>`}
    <div class="scroll" tabindex="0" role="region" aria-label="Changes of the quotas">
      <table class="differences"><caption class="hidden">Each quota that is changed</caption>
        <thead><tr><th scope="col">Quota</th>${conflicts.length > 0 && html`<th scope="col">Before</th>`}<th scope="col">Now</th>
          <th scope="col">After saving</th></tr></thead>
        <tbody>${changes.map((change) => html`<tr key=${change.name} class=${change.isConflict ? 'conflict' : ''}>
          <th scope="row">${change.label}${change.isConflict && html` <b>both</b>`}</th>
          ${conflicts.length > 0 && html`<td>${change.base}</td>`}
          <td><del>${change.now}</del></td><td><ins>${change.after}</ins></td></tr>`)}</tbody>
      </table>
    </div>
    <div class="actions">
      <button type="button" class="primary" onClick=${onSave} disabled=${isBusy} aria-busy=${isBusy}>Save</button>
      ${conflicts.length > 0 && html`<button type="button" onClick=${onTake}>Take the other side</button>`}
      <button type="button" onClick=${onClose}>Back to the form</button>
    </div>
  <//>`;
}
