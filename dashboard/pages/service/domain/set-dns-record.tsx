/** Creates the record of a domain at a DNS provider that the operator has connected. Asks for the provider if several have the name. */
import { createSignal } from 'solid-js';
import { LongshoreError, pointsElsewhere, type Routes } from '../../../../client/client.ts';
import { api } from '../../../api/client.ts';
import { type Overview, renewService } from '../../../api/queries.ts';
import { keptPrefix } from '../../../api/session.ts';
import { Confirm } from '../../../ui/dialog.tsx';
import { ChoiceField } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { createSaving } from '../../../ui/saving.ts';
import { attempt, say, sayFailure } from '../../../ui/toasts.tsx';
import { dnsRecordsText } from '../domain-text.ts';

type Provider = NonNullable<
  Routes['POST /api/services/:serviceId/domains/:domainId/dns-records']['body']['providerId']
>;

const route = 'POST /api/services/:serviceId/domains/:domainId/dns-records';

/** @param providerId undefined: the provider that has the name */
async function makeRecord(
  { id, serviceId, hostname }: Overview['domains'][number],
  body: { providerId?: Provider; replace?: true },
): Promise<void> {
  const params = { serviceId, domainId: id };
  const { result, verificationRecord: proof } = await api.call(route, { params, body });
  const done = dnsRecordsText.done(result.recordType, hostname, result.targetIp, result.providerName);
  const failed = proof?.action === 'failed' ? [dnsRecordsText.proofFailed(proof.detail ?? '')] : [];
  say([done, ...failed].join('. '));
  await renewService(serviceId);
}

/** A record that points to a machine outside this instance. */
export interface Replacement {
  about: 'replacement';
  /** Contains the address. */
  sentence: string;
  /** Undefined: the provider that has the name. */
  providerId?: Provider;
}

/** @returns a decision for the user: which of several providers, or whether to replace; undefined: done, or the failure was shown */
export async function setDnsRecord(
  domain: Overview['domains'][number],
): Promise<{ about: 'provider' } | Replacement | undefined> {
  try {
    await makeRecord(domain, {});
  } catch (error) {
    if (error instanceof LongshoreError && /"providerId"/.test(error.message)) return { about: 'provider' };
    const sentence = pointsElsewhere(error);
    if (sentence !== undefined) return { about: 'replacement', sentence };
    sayFailure(error);
  }
  return undefined;
}

interface ReplaceDnsRecordProps {
  domain: Overview['domains'][number];
  replacement: Replacement;
  onClose(): void;
}

/** Shows the current address of the name, and asks before the name is pointed elsewhere. */
export function ReplaceDnsRecord(props: ReplaceDnsRecordProps) {
  const { providerId } = props.replacement;
  const body = { ...(providerId === undefined ? {} : { providerId }), replace: true as const };
  return (
    <Confirm
      title={dnsRecordsText.replaceTitle(props.domain.hostname)}
      help={`${props.replacement.sentence} ${dnsRecordsText.replaceHelp}`}
      submit={dnsRecordsText.replaceSubmit}
      danger
      onClose={props.onClose}
      onConfirm={() => void attempt(() => makeRecord(props.domain, body))}
    />
  );
}

interface SetDnsRecordProps {
  domain: Overview['domains'][number];
  onClose(): void;
  onReplacement(found: Replacement): void;
}

const providers = Object.keys(dnsRecordsText.providers) as Provider[];
/** Most people have all their zones at one provider, so it is proposed the next time. */
const lastKey = `${keptPrefix}dns-provider`;
const lastOne = () => providers.find((one) => one === localStorage.getItem(lastKey)) ?? 'cloudflare';

export function SetDnsRecord(props: SetDnsRecordProps) {
  const { hostname } = props.domain;
  const [providerId, setProviderId] = createSignal<Provider>(lastOne());
  const { isBusy, failureAt, save } = createSaving((name) => name === 'providerId');
  const submit = () =>
    save(async () => {
      await makeRecord(props.domain, { providerId: providerId() }).catch((error: unknown) => {
        const sentence = pointsElsewhere(error);
        if (sentence === undefined) throw error;
        props.onReplacement({ about: 'replacement', sentence, providerId: providerId() });
      });
      localStorage.setItem(lastKey, providerId());
    });
  return (
    <FormDialog
      title={dnsRecordsText.title(hostname)}
      submitLabel={dnsRecordsText.submit}
      isBusy={isBusy()}
      submit={submit}
      onClose={props.onClose}
    >
      <p class="quiet-text">{dnsRecordsText.help}</p>
      <ChoiceField
        label={dnsRecordsText.provider}
        failure={failureAt('providerId')}
        value={providerId()}
        choices={providers.map((value) => ({ value, text: dnsRecordsText.providers[value] }))}
        onInput={(text) => setProviderId(providers.find((one) => one === text) ?? 'cloudflare')}
      />
    </FormDialog>
  );
}
