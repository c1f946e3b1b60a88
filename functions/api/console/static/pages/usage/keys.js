// The keys of a tenant: create one, which is shown once, and revoke one.
import { html, useState } from '../../lib/dom.js';
import { get, send } from '../../lib/api.js';
import { LIFETIMES, SCOPES, newKey, revocation } from '../../lib/access.js';
import { usePolled } from '../../lib/poll.js';
import { session, signOut } from '../../lib/session.js';
import { Field, Pending, Problem, State, Time } from '../../ui/basics.js';
import { ConfirmButton } from '../../ui/dialog.js';
import { notify } from '../../ui/notices.js';
import { Table } from '../../ui/table.js';
import { ShownOnce } from './shown_once.js';

const KINDS = { live: 'ok', expired: 'muted', revoked: 'failed' };

/** `path` is the route of the keys: that of the own tenant, or that which operators have for any tenant. */
export function Keys({ path = '/v1/keys' }) {
  const polled = usePolled(() => get(path), [path]);
  const revoke = async (key) => {
    await send('DELETE', `${path}/${key.id}`);
    if (key.id === session.whoami.key_id) return signOut();
    notify(`The key ${key.name ?? key.id} is revoked.`);
    return void polled.reload();
  };
  return html`<section aria-label="Keys"><h2>Keys</h2>
    <${NewKey} path=${path} reload=${polled.reload} />
    ${polled.value ? html`<${Table} caption="Keys" rows=${polled.value.keys} columns=${columns(revoke)} />` : html`<${Pending} polled=${polled} />`}
  </section>`;
}

function columns(revoke) {
  return [
    { key: 'name', label: 'Key', render: (key) => html`${key.name ?? html`<code>${key.id}</code>`}${key.id === session.whoami.key_id ? ' (in use here)' : ''}` },
    { key: 'scopes', label: 'Scopes', render: (key) => key.scopes.join(', ') },
    { key: 'state', label: 'State', render: (key) => html`<${State} kind=${KINDS[key.state]} word=${key.state} />` },
    { key: 'used', label: 'Last used', render: (key) => (key.last_used_at ? html`<${Time} iso=${key.last_used_at} />` : 'never') },
    { key: 'expires', label: 'Expires', render: (key) => (key.expires_at ? html`<${Time} iso=${key.expires_at} />` : 'never') },
    { key: 'revoke', label: 'Revoke', render: (key) => (key.state === 'live' ? html`<${ConfirmButton} label="Revoke" kind="danger"
        title="Revoke a key" act=${() => revoke(key)}><p>${revocation(key, session.whoami.key_id)}</p><//>` : '–') },
  ];
}

function NewKey({ path, reload }) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState(new Set());
  const [days, setDays] = useState(90);
  const [state, setState] = useState({ made: null, error: null, problem: null, isBusy: false });
  const submit = async (event) => {
    event.preventDefault();
    const { body, problem = null } = newKey({ name, scopes, days });
    if (problem || state.isBusy) return setState({ ...state, problem });
    setState({ made: null, error: null, problem: null, isBusy: true });
    try {
      const { body: made } = await send('POST', path, { body });
      setState({ made, error: null, problem: null, isBusy: false });
      setName('');
      setScopes(new Set());
      return reload();
    } catch (error) {
      return setState({ made: null, error, problem: null, isBusy: false });
    }
  };
  const toggle = (scope) => setScopes(new Set(scopes.has(scope) ? [...scopes].filter((each) => each !== scope) : [...scopes, scope]));
  return html`<details class="make"><summary>Create a key</summary>
    <form onSubmit=${submit}>
      <${Field} label="Name" hint="What will use the key, such as ci.">
        <input value=${name} maxlength="128" autocomplete="off" onInput=${(event) => setName(event.target.value)} /><//>
      <fieldset><legend>Scopes</legend>
        ${SCOPES.map((scope) => html`<label key=${scope.name} class="check"><input type="checkbox" checked=${scopes.has(scope.name)}
          onChange=${() => toggle(scope.name)} /> ${scope.name}: ${scope.words}</label>`)}
      </fieldset>
      <${Field} label="Good for">
        <select value=${String(days)} onChange=${(event) => setDays(Number(event.target.value))}>
          ${LIFETIMES.map((each) => html`<option key=${each.days} value=${String(each.days)}>${each.label}</option>`)}
        </select><//>
      ${state.problem && html`<p class="error" role="alert">${state.problem}</p>`}
      ${state.error && html`<${Problem} error=${state.error} />`}
      <div class="actions"><button type="submit" class="primary" aria-busy=${state.isBusy}>Create the key</button></div>
    </form></details>
    ${state.made && html`<${ShownOnce} title="The new key" secret=${state.made.api_key} onClose=${() => setState({ ...state, made: null })} />`}`;
}
