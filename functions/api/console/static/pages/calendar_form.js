// Create a calendar, or edit one.
import { html } from '../lib/dom.js';
import { EMPTY, WEEKDAYS, bodyOf, errorsByField, fieldErrors, formOf } from '../lib/calendar_form.js';
import { excludedWords, weekendWords } from '../lib/calendar_words.js';
import { go } from '../lib/route.js';
import { Field } from '../ui/basics.js';
import { controls } from './job_form/fields.js';
import { NamedForm } from './named_form.js';

const CALENDAR = {
  noun: 'calendar', list: 'calendars', pathOf: (name) => `/v1/calendars/${encodeURIComponent(name)}`,
  onSaved: (name) => go('calendar', { id: name }), EMPTY, formOf, bodyOf, fieldErrors, errorsByField, Fields, Preview, Rival,
};

export default function CalendarForm({ query }) {
  return html`<${NamedForm} name=${query.name} kind=${CALENDAR} />`;
}

function Preview({ form }) {
  return html`
    <p>${excludedWords(bodyOf(form).body)}</p>
    <p>The runs of active jobs that name it move within about 15 minutes after it is saved.</p>
    <p><a href="v1/docs/guides/schedule-jobs">Schedule jobs</a> explains calendars, with examples.</p>`;
}

function Rival({ found }) {
  return html`<p>${excludedWords(found)}</p>`;
}

function Fields(props) {
  const { form, isEdit } = props;
  const { text, area, choice } = controls(props);
  return html`
    <fieldset><legend>Calendar</legend>
      ${text('name', 'Name', { required: true, readOnly: isEdit, hint: isEdit ? 'A calendar keeps its name.' : 'Lower-case letters, digits and hyphens.' })}
      ${text('country', 'Country', { hint: 'Such as DE or US-CA: its public holidays are excluded. Empty for none.' })}
      ${choice('weekendKind', 'Weekend', [['usual', 'that of the country, or Saturday and Sunday without one'], ['own', 'the days below']])}
      ${form.weekendKind === 'own' && html`<${Weekend} ...${props} />`}
      ${text('set', 'Set', { hint: 'The group that it belongs to, such as one file; empty for none.' })}
    </fieldset>
    <fieldset><legend>Dates</legend>
      ${area('datesOut', 'Excluded dates', { placeholder: '2030-12-24', hint: 'Excluded as well, such as 2030-12-24, with blanks or commas between them.' })}
      ${area('datesIn', 'Business days in any case', { hint: 'Never excluded, whatever the weekend and the holidays are.' })}
    </fieldset>
    <${Windows} ...${props} />`;
}

function Weekend({ form, change, errors }) {
  const toggle = (day) => change({ weekend: form.weekend.includes(day) ? form.weekend.filter((each) => each !== day) : [...form.weekend, day] });
  return html`
    <fieldset><legend>Days of the weekend</legend>
      ${WEEKDAYS.map((day) => html`<div key=${day}><label class="check">
        <input type="checkbox" checked=${form.weekend.includes(day)} onChange=${() => toggle(day)} /> ${weekendWords({ weekend: [day] })}</label></div>`)}
      ${errors.weekend && html`<p class="error" role="alert">${errors.weekend}</p>`}
    </fieldset>`;
}

const LABELS = { from: 'From', until: 'Until', reason: 'Reason' };

function Windows({ form, change, errors }) {
  const put = (index, part) => change({ blackouts: form.blackouts.map((each, at) => (at === index ? { ...each, ...part } : each)) });
  const input = (index, name, label) => html`
    <${Field} key=${name} label="${label} of window ${index + 1}"><input value=${form.blackouts[index][name]} autocomplete="off" spellcheck="false"
      onInput=${(event) => put(index, { [name]: event.target.value })} /><//>`;
  return html`
    <fieldset><legend>Windows without runs</legend>
      <p class="hint">No run begins from the first instant on until the end. Both are whole minutes with an offset, such as 2030-12-24T22:00:00+01:00.</p>
      ${form.blackouts.map((_, index) => html`
        <div class="header-row window-row" key=${index}>
          ${Object.entries(LABELS).map(([name, label]) => input(index, name, label))}
          <button type="button" class="quiet" onClick=${() => change({ blackouts: form.blackouts.filter((__, at) => at !== index) })}>
            Drop window ${index + 1}</button>
        </div>`)}
      ${errors.blackouts && html`<p class="error" role="alert">${errors.blackouts}</p>`}
      <button type="button" onClick=${() => change({ blackouts: [...form.blackouts, { from: '', until: '', reason: '' }] })}>Add a window</button>
    </fieldset>`;
}
