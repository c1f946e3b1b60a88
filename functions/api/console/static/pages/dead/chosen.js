// Redrives of chosen rows, one request each, at a pace, with a stop and an undo.
import { html, useRef, useState } from '../../lib/dom.js';
import { send } from '../../lib/api.js';
import { plural } from '../../lib/format.js';
import { runEach } from '../../lib/sequence.js';
import { whyNot } from '../../lib/session.js';
import { Act } from '../../ui/basics.js';
import { ConfirmButton } from '../../ui/dialog.js';
import { notify } from '../../ui/notices.js';

const PER_SECOND = 10;

const sleep = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

export function Chosen({ ids, clear, reload }) {
  const [done, setDone] = useState(null);
  const isStopped = useRef(false);
  const all = useRef(0);
  const work = (chosen, act) => {
    isStopped.current = false;
    all.current = chosen.length;
    setDone([]);
    return runEach(chosen, act, { perSecond: PER_SECOND, sleep, onProgress: setDone, isStopped: () => isStopped.current });
  };
  const undo = async (outcomes) => {
    const created = outcomes.filter((each) => each.value).map((each) => each.value);
    const undone = await work(created, (id) => send('DELETE', `/v1/executions/${id}`, { query: { stop_retries: 'true' } }));
    setDone(null);
    notify(said('cancelled', undone), { kind: kindOf(undone) });
    await reload();
  };
  const redrive = () => {
    // The dialog closes at once; the bar beside the button shows the progress.
    work(ids, async (id) => (await send('POST', `/v1/executions/${id}/redrive`)).body.id).then(async (outcomes) => {
      setDone(null);
      clear();
      notify(said('redriven', outcomes), { kind: kindOf(outcomes), action: { label: 'Undo', act: () => undo(outcomes) } });
      await reload();
    });
  };
  if (done) {
    return html`<div class="chosen" role="status">
      <progress max=${all.current} value=${done.length} aria-label="Progress of the chosen runs"></progress>
      <span>${done.length} of ${all.current}</span>
      <${Act} label="Stop" onClick=${() => { isStopped.current = true; }} /></div>`;
  }
  if (ids.length === 0) return null;
  return html`<div class="chosen">
    <span role="status">${plural(ids.length, 'run')} chosen</span>
    <${ConfirmButton} label="Redrive ${ids.length}" kind="primary" act=${async () => redrive()} why=${whyNot('write')}>
      <p>${plural(ids.length, 'request')} will be sent once more, at ${PER_SECOND} a second. A run whose redrive is open or has
        succeeded is not redriven again.</p><//>
    <button type="button" class="quiet" onClick=${clear}>Choose none</button>
  </div>`;
}

function said(word, outcomes) {
  const refused = outcomes.filter((each) => each.error);
  const first = refused[0] ? ` ${plural(refused.length, 'run')} refused: ${refused[0].error.message}` : '';
  return `${plural(outcomes.length - refused.length, 'run')} ${word}.${first}`;
}

function kindOf(outcomes) {
  return outcomes.some((each) => each.error) ? 'failed' : 'ok';
}
