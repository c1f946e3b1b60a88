// The key of this tab: whose it is, and what it may do.
import { html } from '../lib/dom.js';
import { session } from '../lib/session.js';
import { Page, State, Time } from '../ui/basics.js';

const SCOPES = {
  read: 'See jobs, runs, dead letters and statistics',
  write: 'Create, change, pause, trigger, delete and redrive',
  admin: 'Manage keys, signing secrets and settings',
};

export default function Account() {
  const { tenant, key_id: keyId, scopes, expires_at: expiresAt, is_operator: isOperator } = session.whoami;
  return html`<${Page} title="This key">
    <dl class="facts">
      <div><dt>Tenant</dt><dd>${tenant}${isOperator && ' (the operators, who manage all tenants)'}</dd></div>
      <div><dt>Key</dt><dd><code>${keyId}</code></dd></div>
      <div><dt>Expires</dt><dd>${expiresAt ? html`<${Time} iso=${expiresAt} />` : 'never'}</dd></div>
    </dl>
    <h2>Scopes</h2>
    <dl class="facts">
      ${Object.entries(SCOPES).map(([scope, text]) => html`<div key=${scope}>
        <dt>${scope}</dt>
        <dd><${State} kind=${scopes.includes(scope) ? 'ok' : 'muted'} word=${scopes.includes(scope) ? 'yes' : 'no'} /> ${text}</dd>
      </div>`)}
    </dl>
    <h2>Documentation</h2>
    <ul>
      <li><a href="v1/docs/guides/console">The console</a></li>
      <li><a href="v1/docs/guides/journey">The first hour on the command line</a></li>
      <li><a href="v1/docs">The API</a></li>
    </ul>
  <//>`;
}
