// One job: when it runs, how it ran, and the acts on it.
import { html, useState } from '../lib/dom.js';
import { get, read } from '../lib/api.js';
import { count, duration } from '../lib/format.js';
import { targetRows, targetWords } from '../lib/job_form.js';
import { actSnippets } from '../lib/job_snippets.js';
import { alertWords, cadence, markOf, titleOf } from '../lib/job_words.js';
import { usePolled } from '../lib/poll.js';
import { href } from '../lib/route.js';
import { Copy, Page, Pending, Problem, State, Time } from '../ui/basics.js';
import { Folded } from '../ui/folded.js';
import { ClockChanges, NextRuns, Preview, Warnings, usePreview } from '../ui/schedule.js';
import { Trail } from '../ui/trail.js';
import { JobActs } from './job/acts.js';
import { History } from './job/history.js';

/** States in which a schedule still means something. */
const LIVING = ['active', 'paused', 'pausing', 'updating', 'pending', 'queued', 'waiting'];
const NEXT_RUNS = 10;

export default function Job({ params: { id } }) {
  const path = `/v1/jobs/${encodeURIComponent(id)}`;
  const polled = usePolled(async () => {
    const [{ body: job, etag }, next, history] = await Promise.all([
      read(path), get(`${path}/upcoming`, { count: NEXT_RUNS }), get(`${path}/executions`, { limit: 20 }),
    ]);
    return { job, etag, next, history };
  }, [id]);
  if (!polled.value) return html`<${Page} title="Job" /><${Pending} polled=${polled} />`;
  const { job, etag, next, history } = polled.value;
  return html`
    <${Page} title=${titleOf(job)} polled=${polled} />
    ${polled.error && html`<${Problem} error=${polled.error} retry=${polled.reload} />`}
    <p class="job-state"><${State} kind=${markOf(job.state)} word=${job.state} /> <code>${job.id}</code></p>
    <${JobActs} job=${job} etag=${etag} onDone=${polled.reload} />
    <div class="job-columns">
      <section aria-label="Schedule" class="job-schedule">
        <h2>Schedule</h2>
        <${Schedule} job=${job} next=${next} key=${job.id} />
      </section>
      <section aria-label="Definition">
        <h2>Definition</h2>
        <${Definition} job=${job} />
      </section>
    </div>
    <section aria-label="Runs">
      <h2>Runs</h2>
      <${History} id=${job.id} first=${history} key=${job.id} />
    </section>
    <${Folded} summary="Changes of this job" key=${`changes ${job.id}`}><${Trail} path="/v1/audit" target=${job.id} /><//>
    <${Snippets} job=${job} />`;
}

function Schedule({ job, next }) {
  const isLiving = LIVING.includes(job.state) && job.kind !== 'backfill';
  const preview = usePreview(isLiving ? job.schedule : null, 0);
  const { value } = preview;
  return html`
    ${job.no_next_run && html`<p class="no-next-run"><${State} kind=${job.state === 'paused' ? 'paused' : 'muted'} word=${job.no_next_run} /></p>`}
    ${job.next_due_at && html`<p>Next run <${Time} iso=${job.next_due_at} />: <${Time} iso=${job.next_due_at} zone=${job.schedule.timezone} exact /></p>`}
    ${job.backfill && html`<${BackfillWords} backfill=${job.backfill} />`}
    ${value && !next.runs.length && job.state === 'paused'
      && html`<${Preview} preview=${value} title="If it is resumed now, the next runs are" />`}
    ${value && (next.runs.length > 0 || job.state !== 'paused') && html`
      <p class="schedule-words"><strong>${value.description}</strong></p>
      <${Warnings} warnings=${value.warnings} />
      <${NextRuns} runs=${next.runs} zone=${next.timezone} />
      <${ClockChanges} changes=${value.clock_changes} />`}
    ${!value && html`
      <p class="schedule-words"><strong>${cadence(job.schedule)}</strong></p>
      ${next.runs.length > 0 && html`<${NextRuns} runs=${next.runs} zone=${next.timezone} />`}`}
    ${preview.error && preview.error.status !== 422 && html`<${Problem} error=${preview.error} />`}`;
}

function BackfillWords({ backfill }) {
  return html`<p>A backfill of <a href=${href('job', { id: backfill.of })}>${backfill.of}</a>: ${count(backfill.count)} runs, one every
    ${' '}${duration(backfill.every_seconds * 1000)}, for the instants from <${Time} iso=${backfill.from} exact /> to${' '}
    <${Time} iso=${backfill.to} exact />.</p>`;
}

const sigv4Words = ({ role, service, region }) => html`${service} in ${region}, by <span class="url">${role}</span>`;

function Definition({ job }) {
  const { retry } = job;
  const rows = [
    ['Starts', job.workflow && html`<a href=${href('workflow', { id: job.workflow })}>${job.workflow}</a>`],
    ['Request', job.request && html`${job.request.method} <span class="url">${job.request.url}</span>`],
    ['Identity token', job.request?.auth?.oidc && html`for <span class="url">${job.request.auth.oidc.audience}</span>`],
    ['Signed for AWS', job.request?.auth?.sigv4 && html`${sigv4Words(job.request.auth.sigv4)}`],
    ['Target', job.target && html`<span class="url">${targetWords(job.target)}</span>`],
    ...targetRows(job.target),
    [job.target ? 'Body' : 'Headers and body', !job.workflow && html`<${Payload} />`],
    ['Lane', job.lane],
    ['Timeout', !job.workflow && `${job.timeout_seconds} s`],
    ['Retries', !job.workflow && (retry.delays_seconds
      ? `${retry.max_attempts} attempts, after ${retry.delays_seconds.map((each) => duration(each * 1000)).join(', ')}`
      : `${retry.max_attempts} attempts, from ${duration(retry.base_seconds * 1000)}, times ${retry.factor}, up to ${duration(retry.cap_seconds * 1000)}`)],
    ['Missed runs', job.catch_up],
    ['Overlap', job.overlap_policy],
    ['Start deadline', job.start_deadline_seconds && `${job.start_deadline_seconds} s`],
    ['Tags', job.tags.length > 0 && job.tags.map((tag) => html`<a key=${tag} class="tag" href=${href('jobs', {}, { tag })}>${tag}</a> `)],
    ['Key', job.key && html`<code>${job.key}</code>`],
    ['Set', job.set && html`<a href=${href('jobs', {}, { set: job.set })}>${job.set}</a>`],
    ['After a success', job.on_success],
    ['After a failure', job.on_failure],
    ['Alerts', alertWords(job.alerts)],
    ['Signing secrets', job.signing_secret],
    ['Created', html`<${Time} iso=${job.created_at} exact />`],
    ['Revision', job.revision],
  ];
  return html`
    <dl class="facts">
      ${rows.filter(([, value]) => value).map(([label, value]) => html`<div key=${label}><dt>${label}</dt><dd>${value}</dd></div>`)}
    </dl>`;
}

/** The API never shows the payload of a job: only that of a failed run can be revealed. */
function Payload() {
  const [isAsked, setIsAsked] = useState(false);
  return html`
    <button type="button" class="quiet" aria-expanded=${isAsked} onClick=${() => setIsAsked(!isAsked)}>hidden</button>
    ${isAsked && html`<span> They are stored encrypted, and the API shows them of no job. The request of a failed run can be
      revealed on its <a href=${href('dead')}>dead letter</a>.</span>`}`;
}

function Snippets({ job }) {
  const acts = job.kind === 'once' ? ['get', 'delete'] : ['get', 'trigger', job.state === 'paused' ? 'resume' : 'pause', 'delete'];
  return html`
    <details class="snippets">
      <summary>As a command or as code</summary>
      ${acts.map((act) => html`
        <p key=${act}><b>${act}</b>${' '}${actSnippets(act, job.id, location.origin).map(({ label, text }) => html`
          <${Copy} key=${label} label="Copy ${act} as ${label}" text=${text} />`)}</p>`)}
    </details>`;
}
