// What a schedule will do: its words, its next runs, its clock changes and its warnings.
import { html, useEffect, useMemo, useState } from '../lib/dom.js';
import { send } from '../lib/api.js';
import { inFuture } from '../lib/format.js';
import { clockChangeSentence, localTime } from '../lib/job_words.js';
import { latest } from '../lib/latest.js';

const PAUSE_MS = 350;
const NOTHING = Object.freeze({ isLoading: false, value: null, error: null });

/** {isLoading, value, error} of the preview of a schedule, after it has not changed for a moment; null asks nothing.
 * The preview before stays while the next one is loaded. */
export function usePreview(schedule, pauseMs = PAUSE_MS) {
  const [state, setState] = useState(NOTHING);
  const questions = useMemo(() => latest({
    ask: async (text) => (await send('POST', '/v1/schedules/preview', { body: JSON.parse(text) })).body,
    show: (change) => setState((before) => (
      change.isLoading ? { ...before, isLoading: true } : { ...NOTHING, ...change }
    )),
    pauseMs,
  }), [pauseMs]);
  const text = JSON.stringify(schedule);
  useEffect(() => {
    if (text === 'null') setState(NOTHING);
    else questions.change(text);
    return questions.stop;
  }, [text]);
  return state;
}

/** The words of a preview. `runs` are other runs than those of the preview, such as a job's own. */
export function Preview({ preview, runs = preview.runs, title = 'Next runs' }) {
  return html`
    <div class="schedule-preview">
      <p class="schedule-words"><strong>${preview.description}</strong></p>
      <${Warnings} warnings=${preview.warnings} />
      <${NextRuns} runs=${runs} zone=${preview.timezone} title=${title} />
      <${ClockChanges} changes=${preview.clock_changes} />
    </div>`;
}

export function NextRuns({ runs, zone, title = 'Next runs' }) {
  if (!runs.length) return html`<p>There are no next runs.</p>`;
  return html`
    <h3>${title}, in ${zone}</h3>
    <ol class="next-runs">
      ${runs.map((run) => html`
        <li key=${run.scheduled_at}>
          <time datetime=${run.scheduled_at}>${localTime(run.local)} ${run.offset}</time>
          <span class="muted"> ${inFuture(run.scheduled_at)}${run.begins_before ? `, before ${run.begins_before}` : ''}</span>
        </li>`)}
    </ol>`;
}

export function ClockChanges({ changes }) {
  if (!changes.length) return null;
  return html`
    <h3>Clock changes</h3>
    <ul class="clock-changes">
      ${changes.map((change) => html`<li key=${change.at}>${clockChangeSentence(change)}</li>`)}
    </ul>`;
}

export function Warnings({ warnings }) {
  if (!warnings.length) return null;
  return html`
    <ul class="warnings" aria-label="Warnings">
      ${warnings.map((warning) => html`
        <li key=${warning.code}><span aria-hidden="true">⚠ </span><b>Warning: </b>${warning.text}</li>`)}
    </ul>`;
}
