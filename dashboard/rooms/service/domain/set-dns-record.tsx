/** Makes the record of a domain at a DNS provider that the operator has connected. */
import { createSignal } from 'solid-js';
import type { Routes } from '../../../../client/client.ts';
import { api } from '../../../api/client.ts';
import { type Overview, renewService } from '../../../api/queries.ts';
import { keptPrefix } from '../../../api/session.ts';
import { t } from '../../../text/text.ts';
import { ChoiceField } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { createSaving } from '../../../ui/saving.ts';
import { say } from '../../../ui/toasts.tsx';

type Provider = Routes['POST /api/services/:serviceId/domains/:domainId/dns-records']['body']['providerId'];

interface SetDnsRecordProps {
  domain: Overview['domains'][number];
  onClose(): void;
}

const providers = Object.keys(t.dnsRecords.providers) as Provider[];
/** Most people have all their zones at one: it is proposed the next time. */
const lastKey = `${keptPrefix}dns-provider`;
const lastOne = () => providers.find((one) => one === localStorage.getItem(lastKey)) ?? 'cloudflare';

export function SetDnsRecord(props: SetDnsRecordProps) {
  const { id, serviceId, hostname } = props.domain;
  const [providerId, setProviderId] = createSignal<Provider>(lastOne());
  const { isBusy, failureAt, save } = createSaving((name) => name === 'providerId');
  const submit = () =>
    save(async () => {
      const params = { serviceId, domainId: id };
      const body = { providerId: providerId() };
      const route = 'POST /api/services/:serviceId/domains/:domainId/dns-records';
      const { result, verificationRecord: proof } = await api.call(route, { params, body });
      localStorage.setItem(lastKey, providerId());
      const done = t.dnsRecords.done(result.recordType, hostname, result.targetIp, result.providerName);
      const failed = proof?.action === 'failed' ? [t.dnsRecords.proofFailed(proof.detail ?? '')] : [];
      say([done, ...failed].join('. '));
      await renewService(serviceId);
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
