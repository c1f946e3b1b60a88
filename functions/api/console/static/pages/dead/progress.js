// How far a bulk redrive is, and the way back.
import { html, useEffect } from '../../lib/dom.js';
import { get, send } from '../../lib/api.js';
import { isOpen, progressOf, progressSentence } from '../../lib/dead_letters.js';
import { usePolled } from '../../lib/poll.js';
import { setQuery } from '../../lib/route.js';
import { whyNot } from '../../lib/session.js';
import { Pending, State, Time } from '../../ui/basics.js';
import { ConfirmButton } from '../../ui/dialog.js';

const KINDS = { running: 'running', undoing: 'wait', finished: 'ok', undone: 'muted' };

/** The redrive `id`. `onEnd` is called when it has ended, so that the list shows what it did. */
export function Progress({ id, onEnd }) {
  const polled = usePolled(() => get(`/v1/redrives/${id}`), [id]);
  const { value, reload } = polled;
  const state = value?.state;
  useEffect(() => {
    if (value && !isOpen(value)) onEnd();
  }, [state]);
  const undo = async () => {
    await send('DELETE', `/v1/redrives/${id}`);
    reload();
  };
  return html`<section class="bulk" aria-label="Bulk redrive">
    <h2>Bulk redrive</h2>
    ${!value && html`<${Pending} polled=${polled} />`}
    ${value && html`<${Redrive} redrive=${value} />`}
    <div class="actions">
      ${value && html`<${ConfirmButton} label=${state === 'running' ? 'Stop and undo' : 'Undo'} why=${undoRefusal(state)} act=${undo}>
        <p>No more dead letters are redriven, and redrives that have not started are cancelled. Calls that have begun cannot be
          taken back.</p><//>`}
      <button type="button" class="quiet" onClick=${() => setQuery({ redrive: null })}>Close</button>
    </div>
  </section>`;
}

function Redrive({ redrive }) {
  const share = progressOf(redrive);
  return html`
    <p role="status"><${State} kind=${KINDS[redrive.state]} word=${redrive.state} /> ${progressSentence(redrive)}</p>
    <progress max="1" value=${share ?? undefined} aria-label="Progress of the bulk redrive"></progress>
    <p class="muted">Started <${Time} iso=${redrive.created_at} />; the last redrive is due <${Time} iso=${redrive.due_until} />.
      <code>${redrive.id}</code></p>`;
}

function undoRefusal(state) {
  if (state === 'undoing' || state === 'undone') return 'It is undone already.';
  return whyNot('write');
}
