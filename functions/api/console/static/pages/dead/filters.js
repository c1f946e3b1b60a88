// The filter of dead letters, which lives in the address.
import { html } from '../../lib/dom.js';
import { REASONS, SINCE } from '../../lib/dead_letters.js';
import { go } from '../../lib/route.js';
import { useTyped } from '../../lib/typed.js';
import { Field } from '../../ui/basics.js';

const TEXTS = [
  ['job', 'Job id'],
  ['tag', 'Tag'],
  ['status', 'HTTP status'],
];

/** Applies at once where one chooses, and on Enter or the button where one types. */
export function Filters({ query, since }) {
  // Not drawn anew for another filter, so that the control that changed it keeps the focus.
  const [texts, setTexts] = useTyped(query, JSON.stringify(query));
  const apply = (changes) => go('dead', {}, { ...query, ...texts, ...changes });
  const submit = (event) => {
    event.preventDefault();
    apply({});
  };
  return html`<form class="filters" role="search" aria-label="Filter dead letters" onSubmit=${submit}>
    <${Field} label="Due">
      <select value=${since} onChange=${(event) => apply({ since: event.target.value })}>
        ${Object.entries(SINCE).map(([name, { label }]) => html`<option key=${name} value=${name}>${label}</option>`)}
      </select><//>
    <${Field} label="Reason">
      <select value=${query.reason ?? ''} onChange=${(event) => apply({ reason: event.target.value })}>
        <option value="">any</option>
        ${REASONS.map((reason) => html`<option key=${reason} value=${reason}>${reason.replaceAll('_', ' ')}</option>`)}
      </select><//>
    ${TEXTS.map(([name, label]) => html`<${Field} key=${name} label=${label}>
      <input value=${texts[name] ?? ''} autocomplete="off" data-search=${name === 'job' ? '' : undefined}
        inputmode=${name === 'status' ? 'numeric' : undefined}
        onInput=${(event) => setTexts({ ...texts, [name]: event.target.value.trim() })} /><//>`)}
    <div class="actions"><button type="submit">Filter</button>
      ${Object.keys(query).length > 0 && html`<button type="button" class="quiet" onClick=${() => go('dead')}>Clear</button>`}</div>
  </form>`;
}
