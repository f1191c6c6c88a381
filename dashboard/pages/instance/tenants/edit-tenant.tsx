/** Creates a tenant, or changes its name and quotas. An empty quota is no limit. */
import type { PostSystemTenantsBody } from '../../../../client/client.ts';
import { operatorApi } from '../../../api/operator.ts';
import { credentialsText } from '../../../text/credentials-text.ts';
import { RecordDialog, type RecordField, type Typed } from '../../../ui/record-dialog.tsx';
import { renew, type Tenant } from '../instance-queries.ts';
import { tenantsText } from '../tenants-text.ts';

const texts = tenantsText;
type Quota = keyof typeof texts.quota;
type Name = 'name' | Quota;
const grouped: Readonly<Record<keyof typeof texts.groups, readonly Quota[]>> = {
  number: ['projects', 'services', 'domains', 'volumes', 'keptDeletions'],
  size: ['memoryMb', 'diskMb', 'backupBytes', 'logBytes', 'keptDeletionBytes'],
  builds: ['concurrentBuilds', 'buildMinutesPerDay', 'buildLogBytesPerDay'],
  container: [
    ...(['containerMemoryMb', 'containerCpus', 'containerDiskMb'] as const),
    ...(['containerPids', 'containerOpenFiles'] as const),
  ],
  readers: ['logReadersPerKey'],
};
const groups = Object.keys(grouped) as (keyof typeof grouped)[];
const quotas = groups.flatMap((group) => grouped[group]);

const bytesOfGb = 1_000_000_000;
const factorOf = (quota: Quota) => (quota.includes('Bytes') ? bytesOfGb : 1);

function typedOf(tenant: Tenant | undefined): Typed<Name> {
  const typed = quotas.map((quota) => {
    const limit = tenant?.quotas[quota] ?? null;
    return [quota, limit === null ? '' : String(limit / factorOf(quota))] as const;
  });
  return { name: tenant?.name ?? '', ...Object.fromEntries(typed) } as Typed<Name>;
}

const quotasOf = (typed: Typed<Name>): NonNullable<PostSystemTenantsBody['quotas']> =>
  Object.fromEntries(
    quotas.map((quota) => {
      const text = typed[quota].trim();
      const factor = factorOf(quota);
      return [quota, text === '' ? null : factor === 1 ? Number(text) : Math.round(Number(text) * factor)];
    }),
  );

const fields: RecordField<Name>[] = [
  { name: 'name', kind: 'text', isRequired: true, label: texts.name },
  ...groups.flatMap((group) =>
    grouped[group].map(
      (name) => ({ name, kind: 'number', label: texts.quota[name], group: texts.groups[group] }) as const,
    ),
  ),
];

export function EditTenant(props: { tenant: Tenant | undefined; onClose(): void }) {
  const { tenant } = props;
  return (
    <RecordDialog
      title={tenant ? texts.editTitle(tenant.name) : texts.add}
      help={texts.editHelp}
      fields={fields}
      first={typedOf(tenant)}
      send={async (typed) => {
        const body = { name: typed.name.trim(), quotas: quotasOf(typed) };
        await (tenant
          ? operatorApi.call('PATCH /api/system/tenants/:tenantId', { params: { tenantId: tenant.id }, body })
          : operatorApi.call('POST /api/system/tenants', { body }));
        await renew('tenants');
        return credentialsText.saved(body.name);
      }}
      onClose={props.onClose}
    />
  );
}
