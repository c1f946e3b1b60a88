// What an act on many jobs asks for.
import { html } from '../../lib/dom.js';
import { Field } from '../../ui/basics.js';

export function ChoiceFields({ action, choice, change, isBulk = false, isOnce = false }) {
  const input = (name, label, hint, more = {}) => html`
    <${Field} label=${label} hint=${hint}>
      <input value=${choice[name]} autocomplete="off" onInput=${(event) => change({ [name]: event.target.value })} ...${more} />
    <//>`;
  const digits = { inputmode: 'numeric' };
  return html`
    ${action === 'pause' && input('reason', 'Reason', 'Shown with each job; may be empty.', { maxlength: 200 })}
    ${action === 'patch' && html`
      <p class="hint">What is left empty stays as each job has it.</p>
      <${Field} label="Lane"><select value=${choice.lane} onChange=${(event) => change({ lane: event.target.value })}>
        <option value="">as it is</option>
        ${['critical', 'standard', 'bulk'].map((lane) => html`<option key=${lane} value=${lane}>${lane}</option>`)}
      </select><//>
      ${input('timeoutSeconds', 'Timeout of a call, in seconds', null, digits)}
      ${input('maxAttempts', 'Attempts', 'With the first one.', digits)}
      ${input('addTags', 'Add tags', 'With commas between them.')}
      ${input('removeTags', 'Remove tags', 'With commas between them.')}`}
    ${action === 'delete' && isBulk && !isOnce && input(
      'graceHours', 'Hours until the deletion',
      'The jobs are paused at once. Until then an undo resumes them; 0 deletes at once, without an undo.', digits,
    )}
    ${action === 'delete' && isOnce && html`<p><b>Jobs that run once are cancelled at once, and there is no undo.</b></p>`}
    ${isBulk && input('rate', 'Jobs per second', 'At most 100.', digits)}`;
}
