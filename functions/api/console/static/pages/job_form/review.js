// What an edit changes, and both sides where another request was faster.
import { html } from '../../lib/dom.js';
import { bothSides, differences, shownValue } from '../../lib/job_patch.js';
import { Dialog } from '../../ui/dialog.js';
import { Problem } from '../../ui/basics.js';
import { Preview } from '../../ui/schedule.js';

const HIDDEN = 'hidden';

/** Each member that an edit changes. `base` and `after` are documents of the job. */
export function Differences({ base, after }) {
  const rows = differences(base, after);
  if (!rows.length) return html`<p>Nothing is changed yet.</p>`;
  return html`
    <div class="scroll" tabindex="0" role="region" aria-label="What is changed">
      <table class="differences">
        <caption class="hidden">What is changed</caption>
        <thead><tr><th scope="col">Member</th><th scope="col">Now</th><th scope="col">After saving</th></tr></thead>
        <tbody>
          ${rows.map((row) => html`
            <tr key=${row.pointer}>
              <th scope="row"><code>${row.pointer}</code></th>
              <td><del>${row.isHidden ? HIDDEN : shownValue(row.before)}</del></td>
              <td><ins>${row.isHidden ? HIDDEN : shownValue(row.after)}</ins></td>
            </tr>`)}
        </tbody>
      </table>
    </div>`;
}

/** The last look before an edit is saved: the difference, the next runs and the clock changes. */
export function Review({ base, after, preview, hasNewSchedule, error, isBusy, onSave, onClose }) {
  return html`
    <${Dialog} title="Save these changes?" onClose=${onClose}>
      <${Differences} base=${base} after=${after} />
      ${hasNewSchedule && html`<${After} preview=${preview} />`}
      ${!hasNewSchedule && html`<p>The schedule stays as it is.</p>`}
      ${error && html`<${Problem} error=${error} />`}
      <div class="actions">
        <button type="button" class="primary" onClick=${onSave} aria-busy=${isBusy} disabled=${isBusy}>Save</button>
        <button type="button" onClick=${onClose}>Back to the form</button>
      </div>
    <//>`;
}

/** What the new schedule will do. The preview of an earlier text is not shown for it. */
function After({ preview: { value, error, isLoading } }) {
  if (isLoading) return html`<p class="muted" role="status">Loading the next runs …</p>`;
  if (error) return html`<${Problem} error=${error} />`;
  return value && html`<${Preview} preview=${value} title="Next runs after saving" />`;
}

/** Another request has changed the job. Nothing is saved or lost until the user has chosen. */
export function Conflict({ base, mine, theirs, revision, onKeep, onTake, onClose }) {
  const rows = bothSides(base, mine, theirs);
  return html`
    <${Dialog} title="The job was changed meanwhile" onClose=${onClose}>
      <p>Nothing was saved. The job is now at revision ${revision}. Both sides:</p>
      <div class="scroll" tabindex="0" role="region" aria-label="Both sides">
        <table class="differences">
          <caption class="hidden">Your changes beside those of the other request</caption>
          <thead><tr><th scope="col">Member</th><th scope="col">Before</th><th scope="col">The other request</th><th scope="col">Your change</th></tr></thead>
          <tbody>
            ${rows.map((row) => html`
              <tr key=${row.pointer} class=${row.isConflict ? 'conflict' : ''}>
                <th scope="row"><code>${row.pointer}</code>${row.isConflict ? html` <b>both</b>` : null}</th>
                <td>${row.isHidden ? HIDDEN : shownValue(row.base)}</td>
                <td>${row.isHidden ? HIDDEN : shownValue(row.theirs)}</td>
                <td>${row.isHidden ? HIDDEN : shownValue(row.mine)}</td>
              </tr>`)}
          </tbody>
        </table>
      </div>
      <div class="actions">
        <button type="button" class="primary" onClick=${onKeep}>Keep my changes on top</button>
        <button type="button" onClick=${onTake}>Take the other side</button>
      </div>
      <p class="hint">"Keep my changes on top" returns to the form: look, then save again.</p>
    <//>`;
}
