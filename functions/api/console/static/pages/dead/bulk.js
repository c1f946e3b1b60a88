// A redrive of all dead letters that match the filter: first counted, then started at a pace.
import { html, useState } from '../../lib/dom.js';
import { send } from '../../lib/api.js';
import { useAttempt } from '../../lib/attempt.js';
import { DEFAULT_RATE, filterSentence, openRedriveOf, planSentence, rateProblem, redriveBody } from '../../lib/dead_letters.js';
import { localZone } from '../../lib/format.js';
import { reasonOf } from '../../lib/overview.js';
import { href, setQuery } from '../../lib/route.js';
import { whyNot } from '../../lib/session.js';
import { Act, Field, Problem, Time } from '../../ui/basics.js';

const PATH = '/v1/dead-letters/redrive';

export function BulkRedrive({ filter, jobName }) {
  const [plan, setPlan] = useState(null);
  const { isBusy, error, attempt } = useAttempt();
  const count = () => attempt(async () => {
    const { body } = await send('POST', PATH, { body: redriveBody(filter, { isDryRun: true }) });
    // One key for this plan: to press twice starts one redrive.
    setPlan({ ...body, key: crypto.randomUUID() });
  });
  const start = (rate) => attempt(async () => {
    const { body } = await send('POST', PATH, { body: redriveBody(filter, { rate }), idempotencyKey: plan.key });
    setPlan(null);
    setQuery({ redrive: body.id });
  });
  const open = error && openRedriveOf(error);
  return html`<section class="bulk" aria-label="Redrive by filter">
    <h2>Redrive by filter</h2>
    <p>The filter selects ${filterSentence({ ...filter, job: jobName || filter.job }, localZone())}. A dry run counts them, and starts nothing.</p>
    <${Act} label="Dry run" onClick=${count} isBusy=${isBusy} why=${whyNot('write')} />
    ${error && html`<${Problem} error=${error} />`}
    ${open && html`<p><button type="button" onClick=${() => setQuery({ redrive: open })}>Show the redrive that is open</button></p>`}
    ${plan && html`<${Plan} plan=${plan} start=${start} drop=${() => setPlan(null)} isBusy=${isBusy} />`}
  </section>`;
}

function Plan({ plan, start, drop, isBusy }) {
  const [rate, setRate] = useState(String(DEFAULT_RATE));
  const problem = rateProblem(rate);
  const fresh = plan.redrives;
  const submit = (event) => {
    event.preventDefault();
    if (!problem) start(Number(rate));
  };
  return html`<form class="plan" onSubmit=${submit}>
    <p role="status"><strong>Dry run.</strong> ${planSentence(plan, problem ? 0 : Number(rate))} Nothing was started.</p>
    ${plan.sample.length > 0 && html`<p>The first ${plan.sample.length}, oldest first:</p>
      <ol>${plan.sample.slice(0, 5).map((row) => html`<li key=${row.id}>
        <a href=${href('run', { id: row.id })}>${row.name ?? row.job_id}</a>, ${reasonOf(row)}, <${Time} iso=${row.due_at} /></li>`)}</ol>`}
    ${(fresh > 0 || !plan.complete) && html`
      <${Field} label="Pace: redrives a second" hint="As many calls as your receiver can take after an outage." error=${problem}>
        <input inputmode="numeric" value=${rate} onInput=${(event) => setRate(event.target.value)} /><//>`}
    <div class="actions">
      ${(fresh > 0 || !plan.complete) && html`<button type="submit" class="primary" aria-busy=${isBusy}
        disabled=${Boolean(problem)}>Redrive ${plan.complete ? fresh : 'all that match'}</button>`}
      <button type="button" onClick=${drop}>Discard</button>
    </div>
  </form>`;
}
