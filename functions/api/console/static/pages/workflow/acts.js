// The acts on one workflow. A key that may only read sees none.
import { html } from '../../lib/dom.js';
import { send } from '../../lib/api.js';
import { go } from '../../lib/route.js';
import { whyNot } from '../../lib/session.js';
import { workflowTitle } from '../../lib/workflow_words.js';
import { ConfirmButton } from '../../ui/dialog.js';
import { notify } from '../../ui/notices.js';
import { Start } from './start.js';

export function WorkflowActs({ workflow, etag }) {
  const why = whyNot('write');
  if (why) return html`<p class="muted">${why}</p>`;
  return html`<div class="actions">
    <${Start} workflow=${workflow} />
    <${Delete} workflow=${workflow} etag=${etag} />
  </div>`;
}

function Delete({ workflow, etag }) {
  const act = async (seen) => {
    await send('DELETE', `/v1/workflows/${encodeURIComponent(workflow.id)}`, { ifMatch: seen });
    notify(`${workflowTitle(workflow)} was deleted`);
    go('workflows');
  };
  return html`
    <${ConfirmButton} label="Delete" title="Delete ${workflowTitle(workflow)}?" kind="danger" seen=${etag} act=${act}>
      <p>No run starts any more. Runs that have started go on: cancel them on their own pages. There is no undo.</p>
    <//>`;
}
