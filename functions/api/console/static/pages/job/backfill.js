// A backfill of a job: its plan first, then the backfill.
import { html, useState } from '../../lib/dom.js';
import { send } from '../../lib/api.js';
import { useAttempt } from '../../lib/attempt.js';
import { count, duration } from '../../lib/format.js';
import { backfillBody, titleOf } from '../../lib/job_words.js';
import { go } from '../../lib/route.js';
import { Field, Problem, Time } from '../../ui/basics.js';
import { Dialog } from '../../ui/dialog.js';
import { notify } from '../../ui/notices.js';

export function BackfillDialog({ job, onClose }) {
  const [range, setRange] = useState({ since: '', until: '', every: '1' });
  const [plan, setPlan] = useState(null);
  const { isBusy, error, attempt } = useAttempt();
  const path = `/v1/jobs/${encodeURIComponent(job.id)}/backfill`;
  const change = (part) => {
    setRange((before) => ({ ...before, ...part }));
    setPlan(null);
  };
  const look = () => attempt(async () => setPlan((await send('POST', path, { body: backfillBody({ ...range, isDryRun: true }) })).body));
  const start = () => attempt(async () => {
    const { body } = await send('POST', path, { body: backfillBody({ ...range, isDryRun: false }) });
    notify(`A backfill of ${count(plan.count)} runs was started`);
    onClose();
    go('job', { id: body.id });
  });
  const field = (name, label, more) => html`
    <${Field} label=${label}><input value=${range[name]} onInput=${(event) => change({ [name]: event.target.value })} ...${more} /><//>`;
  return html`
    <${Dialog} title="Backfill ${titleOf(job)}" onClose=${onClose}>
      <p>One run for each instant of the schedule in a past range. Times are in UTC.</p>
      ${field('since', 'From', { type: 'datetime-local' })}
      ${field('until', 'To, exclusive', { type: 'datetime-local' })}
      ${field('every', 'Seconds between two runs', { inputmode: 'numeric' })}
      ${error && html`<${Problem} error=${error} />`}
      ${plan && html`<${Plan} plan=${plan} />`}
      <div class="actions">
        <button type="button" class=${plan ? '' : 'primary'} disabled=${!range.since || !range.until} aria-busy=${isBusy} onClick=${look}>
          ${plan ? 'Look again' : 'Dry run'}</button>
        ${plan && html`<button type="button" class="primary" aria-busy=${isBusy} onClick=${start}>Start ${count(plan.count)} runs</button>`}
        <button type="button" onClick=${onClose}>Cancel</button>
      </div>
    <//>`;
}

function Plan({ plan }) {
  return html`
    <div class="plan" role="status">
      <p>${count(plan.count)} runs, the first for <${Time} iso=${plan.first_at} zone="UTC" exact />, the last for${' '}
        <${Time} iso=${plan.last_at} zone="UTC" exact />. All are started within ${duration(plan.count * plan.every_seconds * 1000)}.</p>
      <details><summary>The first ${plan.instants.length} instants</summary>
        <ul>${plan.instants.map((at) => html`<li key=${at}><${Time} iso=${at} zone="UTC" exact /></li>`)}</ul>
      </details>
    </div>`;
}
