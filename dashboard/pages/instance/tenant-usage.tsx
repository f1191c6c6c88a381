/** The use of quotas by each tenant, and the costs of the instance. */
import { createSignal, For } from 'solid-js';
import { operatorApi } from '../../api/operator.ts';
import { usePageCommands } from '../../shell/commands.ts';
import { usageText } from '../../text/operator-text.ts';
import { Answer } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { EditAndRemove } from '../../ui/edit-and-remove.tsx';
import { PlusIcon } from '../../ui/icons.tsx';
import { Refreshed } from '../../ui/refreshed.tsx';
import { Rows } from '../../ui/rows.tsx';
import { Show } from '../../ui/show.ts';
import { sizeText } from '../../ui/size.ts';
import { attempt, say } from '../../ui/toasts.tsx';
import { renew, type Tenant, useTenants } from './instance-queries.ts';
import { Costs } from './settings/costs.tsx';
import { Encryption } from './settings/encryption.tsx';
import { DataKeys } from './tenants/data-keys.tsx';
import { EditTenant } from './tenants/edit-tenant.tsx';
import { tenantsText } from './tenants-text.ts';

type Quota = keyof typeof usageText.quota;
const quotas = Object.keys(usageText.quota) as Quota[];
/** From this share of a quota on, the bar changes its colour. */
const highShare = 0.9;
const bytesOfMb = 1024 * 1024;

export function TenantUsage() {
  const tenants = useTenants();
  const [edited, setEdited] = createSignal<{ tenant: Tenant | undefined }>();
  const add = () => setEdited({ tenant: undefined });
  usePageCommands(() => [{ label: tenantsText.add, run: add }]);
  return (
    <div class="stack">
      <header class="page-head">
        <div>
          <h1>{usageText.title}</h1>
          <p class="quiet-text">
            {usageText.help} <Refreshed query={tenants} />
          </p>
        </div>
        <div class="actions">
          <Button kind="primary" icon={PlusIcon} onClick={add}>
            {tenantsText.add}
          </Button>
        </div>
      </header>
      <Answer query={tenants}>
        {(all) => (
          <Rows each={all()}>
            {(tenant) => <Used tenant={tenant()} onEdit={() => setEdited({ tenant: tenant() })} />}
          </Rows>
        )}
      </Answer>
      <Encryption />
      <Costs />
      <Show when={edited()} keyed>
        {({ tenant }) => <EditTenant tenant={tenant} onClose={() => setEdited(undefined)} />}
      </Show>
    </div>
  );
}

async function remove({ id, name }: Tenant): Promise<void> {
  await attempt(async () => {
    await operatorApi.call('DELETE /api/system/tenants/:tenantId', { params: { tenantId: id } });
    say(tenantsText.removed(name));
    await renew('tenants');
  });
}

function Used(props: { tenant: Tenant; onEdit(): void }) {
  return (
    <section class="panel">
      <header>
        <h2>{props.tenant.name}</h2>
        <span class="actions">
          <Button
            class="small"
            aria-label={tenantsText.editLabel(props.tenant.name)}
            onClick={() => props.onEdit()}
          >
            {tenantsText.edit}
          </Button>
          <Show when={props.tenant.id !== 'default'}>
            <EditAndRemove
              name={props.tenant.name}
              removeHelp={tenantsText.removeHelp}
              onRemove={() => void remove(props.tenant)}
            />
          </Show>
        </span>
      </header>
      <dl class="quotas">
        <For each={quotas}>
          {(quota) => {
            const used = () => props.tenant.usage[quota];
            const limit = () => props.tenant.quotas[quota];
            return (
              <div>
                <dt>{usageText.quota[quota]}</dt>
                <dd>
                  <strong>{usedText(quota, used(), limit())}</strong>
                  <Show when={limit()}>
                    {(most) => (
                      <meter
                        aria-label={usageText.quota[quota]}
                        min="0"
                        max={most()}
                        high={most() * highShare}
                        value={used()}
                      />
                    )}
                  </Show>
                </dd>
              </div>
            );
          }}
        </For>
      </dl>
      <DataKeys tenant={props.tenant} />
    </section>
  );
}

function usedText(quota: Quota, used: number, limit: number | null): string {
  const text = (value: number) => {
    if (quota.endsWith('Bytes') || quota.endsWith('BytesPerDay')) return sizeText(value);
    return quota.endsWith('Mb') ? sizeText(value * bytesOfMb) : value.toLocaleString('en');
  };
  return limit === null ? usageText.noLimit(text(used)) : usageText.of(text(used), text(limit));
}
