// Where outcomes of jobs are told that name no place of their own.
import { html } from '../../lib/dom.js';
import { get, send } from '../../lib/api.js';
import { settingsPatch } from '../../lib/access.js';
import { useAttempt } from '../../lib/attempt.js';
import { useEdits } from '../../lib/edits.js';
import { usePolled } from '../../lib/poll.js';
import { Act, Field, Pending, Problem } from '../../ui/basics.js';
import { notify } from '../../ui/notices.js';

export function Settings() {
  const polled = usePolled(() => get('/v1/settings'), []);
  return html`<section aria-label="Notification defaults"><h2>Notification defaults</h2>
    <p>URLs that are called with the outcome of each run whose job names none. <a href="v1/docs/guides/alerts">Alerts</a></p>
    ${polled.value ? html`<${Form} settings=${polled.value} reload=${polled.reload} />` : html`<${Pending} polled=${polled} />`}
  </section>`;
}

const FIELDS = [['on_success', 'After a success'], ['on_failure', 'After a failure']];

function Form({ settings, reload }) {
  const { texts, changes, rivals, edit, saved } = useEdits(textsOf(settings));
  const { isBusy, error, attempt } = useAttempt();
  const why = Object.keys(changes).length === 0 ? 'Nothing is changed yet.' : null;
  const submit = (event) => {
    event.preventDefault();
    if (!why) attempt(save);
  };
  const save = async () => {
    await send('PATCH', '/v1/settings', { body: settingsPatch(changes) });
    saved();
    notify('The defaults are saved.');
    await reload();
  };
  return html`<form onSubmit=${submit}>
    ${FIELDS.map(([name, label]) => html`<${Field} key=${name} label=${label} hint=${hintOf(rivals[name])}>
      <input type="url" value=${texts[name]} autocomplete="off" readOnly=${isBusy} onInput=${(event) => edit(name, event.target.value)} /><//>`)}
    ${settings.alerts && html`<p>Alerts go to <code>${settings.alerts.url}</code>: ${settings.alerts.events.join(', ')}.</p>`}
    ${error && html`<${Problem} error=${error} />`}
    <div class="actions"><${Act} type="submit" label="Save the defaults" why=${why} isBusy=${isBusy} /></div>
  </form>`;
}

/** `rival` is what another request has set meanwhile; undefined where none has. */
function hintOf(rival) {
  if (rival === undefined) return 'Empty: nothing is called.';
  return `Changed meanwhile, to ${rival || 'nothing'}. Saving replaces it.`;
}

function textsOf(settings) {
  return Object.fromEntries(FIELDS.map(([name]) => [name, settings[name] ?? '']));
}
