// Start a run of a workflow, with an input where a task takes one.
import { html, useRef, useState } from '../../lib/dom.js';
import { send } from '../../lib/api.js';
import { keyOf, useAttempt } from '../../lib/attempt.js';
import { errorsOf } from '../../lib/form_errors.js';
import { plural } from '../../lib/format.js';
import { go } from '../../lib/route.js';
import { bodyOf } from '../../lib/run_input.js';
import { workflowTitle } from '../../lib/workflow_words.js';
import { Act, Field, Problem } from '../../ui/basics.js';
import { Dialog } from '../../ui/dialog.js';
import { notify } from '../../ui/notices.js';
import { useDraft, useHolding, useLeaveGuard } from '../job_form/editor.js';

export function Start({ workflow }) {
  const draftName = `run of ${workflow.id}`;
  const draft = useDraft(draftName);
  const [typed, setTyped] = useState(draft?.typed ?? '');
  const [isOpen, setIsOpen] = useState(draft !== null);
  const [isBusy, setIsBusy] = useState(false);
  const sent = useRef(null);
  const isDirty = useRef(false);
  isDirty.current = isOpen && typed !== '';
  useLeaveGuard(isDirty);
  useHolding(isDirty, draftName, () => ({ typed }));

  const start = async (text) => {
    const { body: run } = await send('POST', `/v1/workflows/${encodeURIComponent(workflow.id)}/runs`, {
      text, idempotencyKey: keyOf(sent, text ?? ''),
    });
    notify('A run was started');
    go('workflowRun', { id: run.id });
  };
  const takers = workflow.tasks.filter(({ input }) => input).length;
  const press = async () => {
    if (takers) return setIsOpen(true);
    setIsBusy(true);
    return start().catch((error) => {
      notify(`Start a run: ${error.message}`, { kind: 'failed' });
      setIsBusy(false);
    });
  };
  return html`
    <${Act} label="Start a run" kind="primary" isBusy=${isBusy} onClick=${press} />
    ${isOpen && html`<${InputDialog} ...${{ workflow, takers, typed, setTyped, start }} onClose=${() => setIsOpen(false)} />`}`;
}

/** What is typed stays when the dialog is closed, and is there when it opens again. */
function InputDialog({ workflow, takers, typed, setTyped, start, onClose }) {
  const [refused, setRefused] = useState(null);
  const { isBusy, error, attempt } = useAttempt();
  const change = (event) => {
    setTyped(event.target.value);
    setRefused(null);
  };
  const submit = (event) => {
    event.preventDefault();
    const { text, error: why } = bodyOf(typed);
    setRefused(why);
    if (why === null) attempt(() => start(text).catch(refuse));
  };
  const refuse = (refusal) => {
    // The form has one field, so each fault of the body is that of the field.
    if (![400, 422].includes(refusal.status)) throw refusal;
    setRefused(errorsOf(refusal).map(({ detail }) => detail).join('; '));
  };
  return html`
    <${Dialog} title="Start a run of ${workflowTitle(workflow)}" onClose=${onClose}>
      <form onSubmit=${submit} novalidate>
        <${Field} label="Input" error=${refused} hint="JSON of at most 32 KiB, for ${plural(takers, 'task')} of the run. It is stored
          encrypted, and never shown again. Empty: the run has no input.">
          <textarea value=${typed} onInput=${change} rows="8" spellcheck="false" placeholder=${'{"order": 7}'}></textarea>
        <//>
        ${error && html`<${Problem} error=${error} />`}
        <div class="actions">
          <button type="submit" class="primary" aria-busy=${isBusy}>Start the run</button>
          <button type="button" onClick=${onClose}>Cancel</button>
        </div>
      </form>
    <//>`;
}
