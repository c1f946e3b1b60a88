// One tenant: whether it may call, what holds it back, how its runs ended, and what was changed.
import { html } from '../../lib/dom.js';
import { get } from '../../lib/api.js';
import { quotaRows } from '../../lib/access.js';
import { localZone } from '../../lib/format.js';
import { scopeRows, tenantState } from '../../lib/operator.js';
import { statsQuery } from '../../lib/overview.js';
import { usePolled } from '../../lib/poll.js';
import { href } from '../../lib/route.js';
import { failingJobs } from '../../lib/tenant.js';
import { Live, Meter, Pending, State, Time } from '../../ui/basics.js';
import { Folded } from '../../ui/folded.js';
import { Table } from '../../ui/table.js';
import { Trail } from '../../ui/trail.js';
import { Keys } from '../usage/keys.js';
import { QuotaEditor } from './quotas.js';
import { RunCharts } from './runs.js';
import { Suspension } from './suspension.js';

export function Tenant({ id }) {
  const path = `/v1/admin/tenants/${encodeURIComponent(id)}`;
  const polled = usePolled(async () => {
    const [tenant, usage, lanes] = await Promise.all([get(path), get(`${path}/usage`), get('/v1/admin/lanes', { limit: 100 })]);
    return { tenant, usage, scope: scopeRows(lanes.hot_scopes).find((row) => row.kind === 'tenant' && row.id === id) ?? null };
  }, [path]);
  const { value, reload } = polled;
  return html`<h2>Tenant <code>${id}</code></h2>
    <p><a href=${href('operator', {}, { view: 'tenants' })}>All tenants</a></p>
    ${value ? html`<${Live} polled=${polled} /><${Found} ...${value} path=${path} reload=${reload} />` : html`<${Pending} polled=${polled} />`}`;
}

function Found({ tenant, usage, scope, path, reload }) {
  return html`
    <dl class="facts">
      <div><dt>State</dt><dd><${State} ...${tenantState(tenant, Date.now(), localZone())} /></dd></div>
      <div><dt>Calls</dt><dd>${scope ? `wait: ${scope.words}` : 'are not held back by a limit of the tenant'}</dd></div>
      <div><dt>Weight</dt><dd>${tenant.weight}</dd></div>
      <div><dt>Created</dt><dd><${Time} iso=${tenant.created_at} exact /></dd></div>
      <div><dt>Revision</dt><dd>${tenant.revision}</dd></div>
    </dl>
    <p class="actions"><${Suspension} tenant=${tenant} onDone=${reload} /></p>
    <h2>Quotas</h2>
    <${Table} caption="Quotas of the tenant" rows=${quotaRows(usage)} rowKey=${(row) => row.name} columns=${columns(tenant)} />
    <${QuotaEditor} tenant=${tenant} path=${path} onSaved=${reload} />
    <${Runs} path=${path} />
    <${Folded} summary="Keys of the tenant"><p>Each act on a key is a change of the tenant, which its trail shows. A key with the
      scope read, for one day, signs in to look at a run: open the console in another tab.</p><${Keys} path="${path}/keys" /><//>
    <h2>Changes</h2>
    <${Trail} path="${path}/audit" />`;
}

function columns(tenant) {
  return [
    { key: 'label', label: 'Quota' },
    { key: 'use', label: 'Use', render: (row) => (row.share === null ? row.words
      : html`<${Meter} label=${row.label} value=${row.used} max=${Math.max(1, row.limit)} text=${row.words} />`) },
    { key: 'own', label: 'Set by', render: (row) => (tenant.own_quotas.includes(row.name) ? 'an operator' : 'default') },
  ];
}

function Runs({ path }) {
  const polled = usePolled(() => Promise.all([get(`${path}/stats`, statsQuery(null, Date.now())), get(`${path}/stats/jobs`)]), [path]);
  const [statistics, day] = polled.value ?? [];
  const failing = day ? failingJobs(day) : [];
  return html`<h2>Runs</h2>
    ${statistics ? html`<${RunCharts} statistics=${statistics} />` : html`<${Pending} polled=${polled} />`}
    ${failing.length > 0 && html`<h3>Recurring jobs that failed on the latest counted day</h3>
      <${Table} caption="Recurring jobs that failed" rows=${failing} rowKey=${(row) => row.job_id} columns=${JOB_COLUMNS} />`}
    <p>What a job calls, and why a run failed, is shown to keys of the tenant alone. <a href="v1/docs/guides/late-jobs">Why a job did not run</a></p>`;
}

const JOB_COLUMNS = [
  { key: 'job_id', label: 'Job', render: (row) => html`<code>${row.job_id}</code>` },
  { key: 'failed', label: 'Failed', numeric: true },
  { key: 'ended', label: 'Ended', numeric: true },
];
