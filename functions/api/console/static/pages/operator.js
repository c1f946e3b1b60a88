// For operators: alarms, tenants, lanes, parked messages and the sums of all tenants.
import { html } from '../lib/dom.js';
import { href } from '../lib/route.js';
import { isOperator } from '../lib/session.js';
import { Empty, Page } from '../ui/basics.js';
import { Alarms } from './operator/alarms.js';
import { Lanes } from './operator/lanes.js';
import { Parked } from './operator/parked.js';
import { AllRuns } from './operator/runs.js';
import { Tenants } from './operator/tenants.js';

/** The first one is shown where the address names none: what is wrong now. */
const VIEWS = {
  alarms: ['Alarms', Alarms], tenants: ['Tenants', Tenants], lanes: ['Lanes', Lanes], parked: ['Parked messages', Parked],
  runs: ['Runs', AllRuns],
};

export default function Operator({ query }) {
  if (!isOperator()) {
    return html`<${Page} title="Operator"><${Empty} title="Only operators may see this page">
      <p>It needs a key of the tenant operator. The command <code>create-operator</code> makes the first one.</p><//><//>`;
  }
  const view = Object.hasOwn(VIEWS, query.view ?? '') ? query.view : 'alarms';
  const [, View] = VIEWS[view];
  return html`<${Page} title="Operator" actions=${html`<${Choices} view=${view} />`}>
    <${View} key=${view} query=${query} /><//>`;
}

function Choices({ view }) {
  return html`<nav aria-label="Parts" class="choices">
    ${Object.entries(VIEWS).map(([name, [label]]) => html`<a key=${name} href=${href('operator', {}, { view: name })}
      aria-current=${name === view ? 'true' : undefined}>${label}</a>`)}</nav>`;
}
