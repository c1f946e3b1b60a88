// The acts on one workflow. A key that may only read sees none.
import { html, useState } from '../../lib/dom.js';
import { send } from '../../lib/api.js';
import { go } from '../../lib/route.js';
import { whyNot } from '../../lib/session.js';
import { workflowTitle } from '../../lib/workflow_words.js';
import { Act } from '../../ui/basics.js';
import { ConfirmButton } from '../../ui/dialog.js';
import { notify } from '../../ui/notices.js';

export function WorkflowActs({ workflow, etag }) {
  const why = whyNot('write');
  if (why) return html`<p class="muted">${why}</p>`;
  return html`<div class="actions">
    <${Start} workflow=${workflow} />
    <${Delete} workflow=${workflow} etag=${etag} />
  </div>`;
}

function Start({ workflow }) {
  const [isBusy, setIsBusy] = useState(false);
  const press = async () => {
    setIsBusy(true);
    try {
      const { body: run } = await send('POST', `/v1/workflows/${encodeURIComponent(workflow.id)}/runs`);
      notify('A run was started');
      go('workflowRun', { id: run.id });
    } catch (error) {
      notify(`Start a run: ${error.message}`, { kind: 'failed' });
      setIsBusy(false);
    }
  };
  return html`<${Act} label="Start a run" kind="primary" isBusy=${isBusy} onClick=${press} />`;
}

function Delete({ workflow, etag }) {
  const act = async () => {
    await send('DELETE', `/v1/workflows/${encodeURIComponent(workflow.id)}`, { ifMatch: etag });
    notify(`${workflowTitle(workflow)} was deleted`);
    go('workflows');
  };
  return html`
    <${ConfirmButton} label="Delete" title="Delete ${workflowTitle(workflow)}?" kind="danger" act=${act}>
      <p>No run starts any more. Runs that have started go on: cancel them on their own pages. There is no undo.</p>
    <//>`;
}
