// The fields of a job, in groups. Each group gets the form, what to do on a change, and the errors by field.
import { html } from '../../lib/dom.js';
import { ALERT_EVENTS, KINDS, ONCE_KINDS, RATE_UNITS } from '../../lib/job_form.js';
import { Field } from '../../ui/basics.js';

const KIND_LABELS = {
  cron: 'On a cron line', rate: 'At an interval', at: 'Once, at a time', delay: 'Once, after a while',
  expression: 'EventBridge expression',
};
const LANES = ['standard', 'critical', 'bulk'];
const METHODS = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE', 'HEAD'];
const WHEN_EXCLUDED = [
  ['', 'default: does not run'], ['next', 'moves to the next business day'],
  ['previous', 'moves to the previous business day'],
  ['modified_following', 'moves to the next one of the month, or else the previous one'],
];
const ZONES = ['UTC', ...(Intl.supportedValuesOf?.('timeZone') ?? [])];

/** The fields of one group: functions that make a labelled control of the form. */
export function controls({ form, change, errors }) {
  const set = (name) => (event) => change({ [name]: event.target.value });
  const field = (name, label, control, hint) => html`
    <${Field} key=${name} label=${label} hint=${hint} error=${errors[name]}>${control}<//>`;
  return {
    text: (name, label, { hint, ...more } = {}) => field(name, label, html`
      <input name=${name} value=${form[name]} onInput=${set(name)} autocomplete="off" spellcheck="false" ...${more} />`, hint),
    area: (name, label, { hint, ...more } = {}) => field(name, label, html`
      <textarea name=${name} value=${form[name]} onInput=${set(name)} spellcheck="false" rows="6" ...${more}></textarea>`, hint),
    choice: (name, label, options, { hint, ...more } = {}) => field(name, label, html`
      <select name=${name} value=${form[name]} onChange=${set(name)} ...${more}>
        ${options.map((option) => {
          const [value, text] = [option].flat().length === 2 ? option : [option, option];
          return html`<option key=${value} value=${value} selected=${value === form[name]}>${text}</option>`;
        })}
      </select>`, hint),
  };
}

export function ScheduleFields(props) {
  const { form, isEdit, wasOnce } = props;
  const { text, choice } = controls(props);
  const kinds = isEdit ? KINDS.filter((kind) => kind === 'expression' || ONCE_KINDS.includes(kind) === wasOnce) : KINDS;
  const isZoned = ['cron', 'at', 'expression'].includes(form.kind);
  return html`
    <fieldset>
      <legend>Schedule</legend>
      ${choice('kind', 'Kind', kinds.map((kind) => [kind, KIND_LABELS[kind]]))}
      ${form.kind === 'cron' && text('cron', 'Cron line', {
        required: true, hint: 'Minute, hour, day of month, month, day of week; such as 30 2 * * * or @daily.',
      })}
      ${form.kind === 'expression' && text('expression', 'Expression', { required: true, hint: 'Such as cron(0 9 ? * MON-FRI *).' })}
      ${form.kind === 'rate' && html`<div class="pair">
        ${text('every', 'Every', { required: true, inputmode: 'numeric' })}
        ${choice('unit', 'Unit', RATE_UNITS)}
      </div>`}
      ${form.kind === 'at' && text('at', 'Time', {
        required: true, type: 'datetime-local', step: 'any', hint: 'In the time zone below.',
      })}
      ${form.kind === 'delay' && text('delaySeconds', 'Seconds from now', { required: true, inputmode: 'numeric' })}
      ${isZoned && html`
        ${text('timezone', 'Time zone', { list: 'zones', hint: 'Such as Europe/Berlin.' })}
        <datalist id="zones">${ZONES.map((zone) => html`<option key=${zone} value=${zone}></option>`)}</datalist>`}
      <${MoreOfSchedule} ...${props} />
    </fieldset>`;
}

function MoreOfSchedule(props) {
  const { form, errors } = props;
  const { text, choice } = controls(props);
  const isOnce = ONCE_KINDS.includes(form.kind);
  const names = ['startAt', 'endAt', 'maxRuns', 'jitterSeconds', 'dstGap', 'dstOverlap',
    'calendar', 'whenExcluded', 'businessDay'];
  return html`
    <${More} title="More about the schedule" isOpen=${names.some((name) => errors[name])}>
      ${text('jitterSeconds', 'Jitter in seconds', { inputmode: 'numeric', hint: 'Each run starts up to this much later.' })}
      ${!isOnce && html`
        ${text('startAt', 'No run before', { hint: 'An instant, such as 2030-01-01T09:00:00Z.' })}
        ${text('endAt', 'No run after', { hint: 'An instant, such as 2030-12-31T09:00:00Z.' })}
        ${text('maxRuns', 'Number of runs', { inputmode: 'numeric', hint: 'The job ends after this many runs.' })}`}
      ${['cron', 'expression'].includes(form.kind) && html`
        ${choice('dstGap', 'A local time that does not exist', [['', 'default of the kind'], ['shift', 'runs right after the gap'], ['skip', 'does not run']])}
        ${choice('dstOverlap', 'A local time that comes twice', [['', 'default: the first time'], ['first', 'runs the first time'], ['second', 'runs the second time'], ['both', 'runs twice']])}
        ${text('calendar', 'Calendar', { hint: 'A country, such as DE or US-CA, a calendar of your own, or one of the operators, such as operator/deployments: its weekend and holidays are excluded.' })}
        ${choice('whenExcluded', 'A run on an excluded day', WHEN_EXCLUDED)}
        ${text('businessDay', 'Business day of the month', { inputmode: 'numeric', hint: 'Such as 1, or -1 for the last one.' })}`}
    <//>`;
}

export function RequestFields(props) {
  const { form, isEdit } = props;
  const { text, area, choice } = controls(props);
  if (form.target) {
    return html`
      <fieldset>
        <legend>Target</legend>
        <p><span class="url">${form.target}</span></p>
        <p class="hint">The target and its message are changed by the API or the command line.</p>
      </fieldset>`;
  }
  const bodies = [...(isEdit ? [['keep', 'as it is stored']] : []), ['none', 'none'], ['json', 'JSON'], ['text', 'text']];
  const workflow = text('workflow', 'Workflow', { hint: 'The id of a workflow to start, in place of a request.', placeholder: 'wfl_…' });
  if (form.workflow.trim()) return html`<fieldset><legend>Starts</legend>${workflow}</fieldset>`;
  return html`
    <fieldset>
      <legend>Request</legend>
      ${text('url', 'URL', { required: true, type: 'url', placeholder: 'https://' })}
      ${choice('method', 'Method', METHODS)}
      ${text('audience', 'Audience of an identity token', {
        hint: 'Each call then has a token for it in the header Authorization; such as the URL of the receiver. Empty for none.',
      })}
      <${HeaderFields} ...${props} />
      ${choice('bodyKind', 'Body', bodies, {
        hint: isEdit ? 'Headers and body are stored encrypted, and never shown.' : null,
      })}
      ${['json', 'text'].includes(form.bodyKind) && area('body', form.bodyKind === 'json' ? 'JSON' : 'Text')}
      ${workflow}
    </fieldset>`;
}

function HeaderFields({ form, change, errors, isEdit }) {
  const put = (index, part) => change({
    headers: form.headers.map((header, each) => (each === index ? { ...header, ...part } : header)),
  });
  const drop = (index) => change({ headers: form.headers.filter((_, each) => each !== index) });
  return html`
    <div class="headers" role="group" aria-label="Headers">
      ${form.headers.map((header, index) => html`
        <div class="header-row" key=${index}>
          <${Field} label="Header ${index + 1}"><input value=${header.name} autocomplete="off"
            onInput=${(event) => put(index, { name: event.target.value })} /><//>
          <${Field} label="Value"><input value=${header.value} autocomplete="off" disabled=${header.isRemoved}
            onInput=${(event) => put(index, { value: event.target.value })} /><//>
          ${isEdit && html`<label class="check"><input type="checkbox" checked=${header.isRemoved}
            onChange=${(event) => put(index, { isRemoved: event.target.checked })} /> remove it from the job</label>`}
          <button type="button" class="quiet" onClick=${() => drop(index)}>Drop this line</button>
        </div>`)}
      ${errors.headers && html`<p class="error" role="alert">${errors.headers}</p>`}
      <button type="button" onClick=${() => change({ headers: [...form.headers, { name: '', value: '', isRemoved: false }] })}>
        ${isEdit ? 'Set or remove a header' : 'Add a header'}</button>
    </div>`;
}

export function NameFields(props) {
  const { form, isEdit } = props;
  const { text } = controls(props);
  const isOnce = ONCE_KINDS.includes(form.kind);
  return html`
    <fieldset>
      <legend>Name</legend>
      ${text('name', 'Name')}
      ${text('tags', 'Tags', { hint: 'Lower-case words, with commas between them.' })}
      ${!isEdit && !isOnce && html`
        ${text('key', 'Key', { hint: 'Your own name for the job, so that it can be created again without a second one.' })}
        ${form.key && text('set', 'Set', { hint: 'The group of jobs that it belongs to, such as one file.' })}`}
    </fieldset>`;
}

export function DeliveryFields(props) {
  const { form, errors } = props;
  const { text, choice } = controls(props);
  const isOnce = ONCE_KINDS.includes(form.kind);
  const names = ['timeoutSeconds', 'maxAttempts', 'baseSeconds', 'factor', 'capSeconds', 'delaysSeconds', 'lane'];
  return html`
    <${More} title="Retries, lane and timeouts" isOpen=${names.some((name) => errors[name])}>
      ${choice('lane', 'Lane', LANES, { hint: 'Each lane has its own queue and workers.' })}
      ${text('timeoutSeconds', 'Timeout of a call, in seconds', { inputmode: 'numeric' })}
      ${choice('retryKind', 'Delays between attempts', [['backoff', 'grow by a factor'], ['table', 'as listed']])}
      ${form.retryKind === 'table'
        ? text('delaysSeconds', 'Delays in seconds', { hint: 'One for each retry, such as 60, 600, 3600.' })
        : html`
          ${text('maxAttempts', 'Attempts', { inputmode: 'numeric', hint: 'With the first one.' })}
          ${text('baseSeconds', 'First delay in seconds', { inputmode: 'numeric' })}
          ${text('factor', 'Factor', { inputmode: 'numeric' })}
          ${text('capSeconds', 'Longest delay in seconds', { inputmode: 'numeric' })}`}
      ${text('giveUpAfterSeconds', 'Give up after seconds', { inputmode: 'numeric', hint: 'No attempt starts later than this after the due time.' })}
    <//>
    <${More} title=${isOnce ? 'Deadline, long calls and outcomes' : 'Missed runs, overlaps, long calls and outcomes'}
      isOpen=${OTHERS.some((name) => errors[name])}>
      ${isOnce ? html`
        ${text('startDeadlineSeconds', 'Start deadline in seconds', { inputmode: 'numeric', hint: 'A job that has not started this long after its time is skipped.' })}
        ${choice('whenSuspended', 'While the tenant is suspended', [['skip', 'the job ends'], ['run', 'the job runs afterwards']])}` : html`
        ${choice('catchUp', 'Missed runs', [['coalesce', 'the latest one runs'], ['skip', 'none runs'], ['all', 'all run']])}
        ${form.catchUp === 'all' && text('catchUpLimit', 'At most so many missed runs', { inputmode: 'numeric' })}
        ${text('catchUpWindowSeconds', 'Never run what was missed longer ago than, in seconds', { inputmode: 'numeric' })}
        ${text('lateToleranceSeconds', 'A run is missed if it is late by more than, in seconds', { inputmode: 'numeric' })}
        ${choice('overlapPolicy', 'While an earlier run has not ended', [['allow', 'the later run starts'], ['skip', 'the later run is skipped'], ['queue_one', 'one run waits']])}`}
      ${text('asyncDeadlineSeconds', 'Deadline of a long-running call, in seconds', { inputmode: 'numeric' })}
      ${text('heartbeatSeconds', 'Heartbeat of a long-running call, in seconds', { inputmode: 'numeric' })}
      ${text('onSuccess', 'URL to call after a success', { hint: '"none" for no call; empty for the default of the tenant.' })}
      ${text('onFailure', 'URL to call after a failure', { hint: '"none" for no call; empty for the default of the tenant.' })}
      ${text('signingSecret', 'Name of the signing secrets', { hint: 'Empty for the secrets without a name.' })}
    <//>`;
}

const ALERT_LABELS = { default: 'as the settings of the tenant say', none: 'no alerts', own: 'to a URL of this job' };
const ALERT_NAMES = ['alertsUrl', 'alertEvents', 'alertLateSeconds', 'alertFormat'];

export function AlertFields(props) {
  const { form, errors } = props;
  const { text, choice } = controls(props);
  return html`
    <${More} title="Alerts: ${ALERT_LABELS[form.alertsKind]}" isOpen=${ALERT_NAMES.some((name) => errors[name])}>
      ${choice('alertsKind', 'Alerts', Object.entries(ALERT_LABELS))}
      ${form.alertsKind === 'own' && html`
        ${text('alertsUrl', 'URL of the alerts', { required: true, type: 'url', placeholder: 'https://' })}
        <${AlertEvents} ...${props} />
        ${form.alertEvents.includes('late') && text('alertLateSeconds', 'A run is late after, in seconds', { required: true, inputmode: 'numeric' })}
        ${choice('alertFormat', 'Form of an alert', [['json', 'JSON, as all calls have it'], ['slack', 'a text for a chat, such as Slack']])}`}
    <//>`;
}

function AlertEvents({ form, change, errors }) {
  const toggle = (name) => () => change({
    alertEvents: form.alertEvents.includes(name) ? form.alertEvents.filter((each) => each !== name) : [...form.alertEvents, name],
  });
  return html`
    <fieldset><legend>Announce when</legend>
      ${ALERT_EVENTS.map(({ name, words }) => html`
        <div key=${name}><label class="check"><input type="checkbox" checked=${form.alertEvents.includes(name)} onChange=${toggle(name)} /> ${words}</label></div>`)}
      ${errors.alertEvents && html`<p class="error" role="alert">${errors.alertEvents}</p>`}
    </fieldset>`;
}

const OTHERS = [
  'startDeadlineSeconds', 'whenSuspended', 'catchUp', 'catchUpLimit', 'catchUpWindowSeconds', 'lateToleranceSeconds',
  'overlapPolicy', 'asyncDeadlineSeconds', 'heartbeatSeconds', 'onSuccess', 'onFailure', 'signingSecret',
];

/** Fields that most jobs do not need. An error in one of them opens the group. */
function More({ title, isOpen, children }) {
  return html`<details class="more" open=${isOpen || null}><summary>${title}</summary>${children}</details>`;
}
