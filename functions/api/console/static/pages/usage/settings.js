// Where outcomes of jobs are told that name no place of their own.
import { html } from '../../lib/dom.js';
import { get, send } from '../../lib/api.js';
import { settingsPatch } from '../../lib/access.js';
import { useAttempt } from '../../lib/attempt.js';
import { usePolled } from '../../lib/poll.js';
import { useTyped } from '../../lib/typed.js';
import { Field, Pending, Problem } from '../../ui/basics.js';
import { notify } from '../../ui/notices.js';

export function Settings() {
  const polled = usePolled(() => get('/v1/settings'), []);
  return html`<section aria-label="Notification defaults"><h2>Notification defaults</h2>
    <p>URLs that are called with the outcome of each run whose job names none. <a href="v1/docs/guides/alerts">Alerts</a></p>
    ${polled.value ? html`<${Form} settings=${polled.value} reload=${polled.reload} />` : html`<${Pending} polled=${polled} />`}
  </section>`;
}

function Form({ settings, reload }) {
  const present = textsOf(settings);
  // A change by another session replaces the texts, because saving would undo it.
  const [texts, setTexts] = useTyped(present, JSON.stringify(present));
  const { isBusy, error, attempt } = useAttempt();
  const submit = (event) => {
    event.preventDefault();
    attempt(async () => {
      await send('PATCH', '/v1/settings', { body: settingsPatch(texts) });
      await reload();
      notify('The defaults are saved.');
    });
  };
  // What is typed during the save would be lost with the texts that it replaces.
  const edit = (name) => (event) => setTexts({ ...texts, [name]: event.target.value });
  return html`<form onSubmit=${submit}>
    <${Field} label="After a success" hint="Empty: nothing is called.">
      <input type="url" value=${texts.onSuccess} autocomplete="off" readOnly=${isBusy} onInput=${edit('onSuccess')} /><//>
    <${Field} label="After a failure" hint="Empty: nothing is called.">
      <input type="url" value=${texts.onFailure} autocomplete="off" readOnly=${isBusy} onInput=${edit('onFailure')} /><//>
    ${settings.alerts && html`<p>Alerts go to <code>${settings.alerts.url}</code>: ${settings.alerts.events.join(', ')}.</p>`}
    ${error && html`<${Problem} error=${error} />`}
    <div class="actions"><button type="submit" aria-busy=${isBusy}>Save the defaults</button></div>
  </form>`;
}

function textsOf({ on_success: onSuccess, on_failure: onFailure }) {
  return { onSuccess: onSuccess ?? '', onFailure: onFailure ?? '' };
}
