/** Makes the record of a domain at a DNS provider that the operator has connected; asks which, if several have the name. */
import { createSignal } from 'solid-js';
import { LongshoreError, type Routes } from '../../../../client/client.ts';
import { api } from '../../../api/client.ts';
import { type Overview, renewService } from '../../../api/queries.ts';
import { keptPrefix } from '../../../api/session.ts';
import { t } from '../../../text/text.ts';
import { ChoiceField } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { createSaving } from '../../../ui/saving.ts';
import { say, sayFailure } from '../../../ui/toasts.tsx';

type Provider = NonNullable<
  Routes['POST /api/services/:serviceId/domains/:domainId/dns-records']['body']['providerId']
>;

const route = 'POST /api/services/:serviceId/domains/:domainId/dns-records';

/** @param providerId undefined: the one that has the name */
async function makeRecord(
  { id, serviceId, hostname }: Overview['domains'][number],
  providerId?: Provider,
): Promise<void> {
  const params = { serviceId, domainId: id };
  const body = providerId === undefined ? {} : { providerId };
  const { result, verificationRecord: proof } = await api.call(route, { params, body });
  const done = t.dnsRecords.done(result.recordType, hostname, result.targetIp, result.providerName);
  const failed = proof?.action === 'failed' ? [t.dnsRecords.proofFailed(proof.detail ?? '')] : [];
  say([done, ...failed].join('. '));
  await renewService(serviceId);
}

/** @returns false: several providers have the name, so the person has to choose */
export async function setDnsRecord(domain: Overview['domains'][number]): Promise<boolean> {
  try {
    await makeRecord(domain);
  } catch (error) {
    if (error instanceof LongshoreError && /"providerId"/.test(error.message)) return false;
    sayFailure(error);
  }
  return true;
}

interface SetDnsRecordProps {
  domain: Overview['domains'][number];
  onClose(): void;
}

const providers = Object.keys(t.dnsRecords.providers) as Provider[];
/** Most people have all their zones at one: it is proposed the next time. */
const lastKey = `${keptPrefix}dns-provider`;
const lastOne = () => providers.find((one) => one === localStorage.getItem(lastKey)) ?? 'cloudflare';

export function SetDnsRecord(props: SetDnsRecordProps) {
  const { hostname } = props.domain;
  const [providerId, setProviderId] = createSignal<Provider>(lastOne());
  const { isBusy, failureAt, save } = createSaving((name) => name === 'providerId');
  const submit = () =>
    save(async () => {
      await makeRecord(props.domain, providerId());
      localStorage.setItem(lastKey, providerId());
    });
  return (
    <FormDialog
      title={t.dnsRecords.title(hostname)}
      submitLabel={t.dnsRecords.submit}
      isBusy={isBusy()}
      submit={submit}
      onClose={props.onClose}
    >
      <p class="quiet-text">{t.dnsRecords.help}</p>
      <ChoiceField
        label={t.dnsRecords.provider}
        failure={failureAt('providerId')}
        value={providerId()}
        choices={providers.map((value) => ({ value, text: t.dnsRecords.providers[value] }))}
        onInput={(text) => setProviderId(providers.find((one) => one === text) ?? 'cloudflare')}
      />
    </FormDialog>
  );
}
