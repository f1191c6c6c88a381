/** Loaders of routes that only the operator may call: they find resources of every tenant. */
import { selectKeyWithProjects } from '../../store/access/api-key-store.ts';
import {
  type IdentityProviderRow,
  selectIdentityProvider,
} from '../../store/access/identity-provider-store.ts';
import { type MemberView, selectMember } from '../../store/access/member-store.ts';
import { type SessionRow, selectSession } from '../../store/access/session-store.ts';
import { type AlertRuleRow, selectHostAlertRule } from '../../store/alerts/alert-rule-store.ts';
import { type AlertRow, selectAlert } from '../../store/alerts/alert-store.ts';
import { selectDeletion } from '../../store/deletions/deletion-store.ts';
import { type DnsProviderRow, selectDnsProvider } from '../../store/domains/dns-provider-store.ts';
import { type RunnerRow, selectRunner } from '../../store/hosts/runner-store.ts';
import { type AiProviderRow, selectAiProvider } from '../../store/instance/ai-provider-store.ts';
import { selectTenantById, type TenantRow } from '../../store/projects/tenant-store.ts';
import { selectServiceWithProject } from '../../store/services/service-view-store.ts';
import { ofAnyone } from './loader.ts';
import type { LoadedDeletion, LoadedService } from './service-loaders.ts';
import type { LoadedKey } from './tenant-loaders.ts';

/** @param id name of the path's parameter */
const ofOperator = <Resource>(name: string, id: string, select: Parameters<typeof ofAnyone<Resource>>[3]) =>
  ofAnyone<Resource>('operator', name, id, select);

export const deletedResource = ofOperator<LoadedDeletion>('deleted resource', 'resourceId', selectDeletion);
export const operatorServiceResource = ofOperator<LoadedService>(
  'service',
  'serviceId',
  selectServiceWithProject,
);
export const runnerResource = ofOperator<{ runner: RunnerRow }>('runner', 'runnerId', selectRunner);
export const tenantResource = ofOperator<{ tenant: TenantRow }>('tenant', 'tenantId', selectTenantById);
export const keyResource = ofOperator<LoadedKey>('key', 'keyId', selectKeyWithProjects);
export const anyMemberResource = ofOperator<MemberView>('member', 'memberId', selectMember);
export const sessionResource = ofOperator<SessionRow>('session', 'sessionId', selectSession);
export const identityProviderResource = ofOperator<{ provider: IdentityProviderRow }>(
  'identity provider',
  'identityProviderId',
  selectIdentityProvider,
);
export const dnsProviderResource = ofOperator<DnsProviderRow>(
  'DNS provider',
  'providerId',
  selectDnsProvider,
);
export const aiProviderResource = ofOperator<{ provider: AiProviderRow }>(
  'AI provider',
  'aiProviderId',
  selectAiProvider,
);
export const anyAlertResource = ofOperator<{ alert: AlertRow }>('alert', 'alertId', selectAlert);
export const hostAlertRuleResource = ofOperator<{ rule: AlertRuleRow }>(
  'alertRule',
  'hostRuleId',
  selectHostAlertRule,
);
