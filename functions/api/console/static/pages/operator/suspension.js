// Suspend a tenant, or resume it.
import { html } from '../../lib/dom.js';
import { send } from '../../lib/api.js';
import { localZone } from '../../lib/format.js';
import { suspensionQuestion, tenantState } from '../../lib/operator.js';
import { ConfirmButton } from '../../ui/dialog.js';
import { notify } from '../../ui/notices.js';

export function Suspension({ tenant, onDone }) {
  const isActive = tenant.state === 'active';
  const label = isActive ? 'Suspend' : 'Resume';
  const act = async () => {
    const { body } = await send('PATCH', `/v1/admin/tenants/${tenant.id}`, { body: { state: isActive ? 'suspended' : 'active' } });
    notify(`${tenant.id}: ${tenantState(body, Date.now(), localZone()).word}.`);
    onDone();
  };
  return html`<${ConfirmButton} act=${act} label=${label} kind=${isActive ? 'danger' : ''} title="${label} ${tenant.id}"
    typed=${isActive ? tenant.id : null}><p>${suspensionQuestion(tenant)}</p><//>`;
}
