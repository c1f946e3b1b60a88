// A key of a new job that another job has already.
import { html, useState } from '../../lib/dom.js';
import { shownValue } from '../../lib/job_patch.js';
import { titleOf } from '../../lib/job_words.js';
import { href } from '../../lib/route.js';
import { Problem } from '../../ui/basics.js';
import { Dialog } from '../../ui/dialog.js';

/** `put` is the answer of a dry run that would change a job, or leave it as it is. */
export function ExistingKey({ put, jobKey, act, onClose }) {
  const [saving, setSaving] = useState({ isBusy: false, error: null });
  const replace = async () => {
    setSaving({ isBusy: true, error: null });
    await act().catch((error) => setSaving({ isBusy: false, error }));
  };
  return html`
    <${Dialog} title="The key is in use" onClose=${onClose}>
      <p><a href=${href('job', { id: put.job.id })}>${titleOf(put.job)}</a> has the key <code>${jobKey}</code>.</p>
      ${put.change === 'unchanged' ? html`<p>It is exactly the job that you describe. Nothing needs to be saved.</p>` : html`
        <p>Saving would change that job:</p>
        <ul>${put.fields.map((field) => html`<li key=${field.pointer}><code>${field.pointer}</code>:${' '}
          ${field.hidden ? 'hidden' : `${shownValue(field.before)} → ${shownValue(field.after)}`}</li>`)}</ul>
        ${saving.error && html`<${Problem} error=${saving.error} />`}
        <button type="button" class="primary" disabled=${saving.isBusy} onClick=${replace}>Change that job</button>`}
      <button type="button" onClick=${onClose}>Back to the form</button>
    <//>`;
}
