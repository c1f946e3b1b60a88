// Create a trigger, or edit one.
import { html, useEffect, useState } from '../lib/dom.js';
import { get } from '../lib/api.js';
import { titleOf } from '../lib/job_words.js';
import { go } from '../lib/route.js';
import { may } from '../lib/session.js';
import { DELIVERIES, EMPTY, bodyOf, errorsByField, fieldErrors, formOf } from '../lib/trigger_form.js';
import { patternLines, startsOf } from '../lib/trigger_words.js';
import { controls } from './job_form/fields.js';
import { NamedForm } from './named_form.js';

const TRIGGER = {
  noun: 'trigger', list: 'triggers', pathOf: (name) => `/v1/triggers/${encodeURIComponent(name)}`, onSaved: () => go('triggers'),
  EMPTY, formOf, bodyOf, fieldErrors, errorsByField, Fields, Preview, Rival,
};

export default function TriggerForm({ query }) {
  return html`<${NamedForm} name=${query.name} kind=${TRIGGER} />`;
}

function Preview({ form }) {
  return html`
    <p>Each event that the pattern matches starts a run ${startsOf(bodyOf(form).body)}.</p>
    <p><a href="v1/docs/guides/triggers">React to an event</a> explains patterns, with examples.</p>`;
}

function Rival({ found }) {
  return html`
    <p>It is of the job <code>${found.job_id}</code>, and starts its runs ${startsOf(found)}:</p>
    <pre>${patternLines(found.pattern)}</pre>`;
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
