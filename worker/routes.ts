/** All routes of the control plane, by section of the API reference. Any other path is 404. */

import { deviceSignInRoutes } from './api/access/device-sign-in.ts';
import { identityProviderRoutes } from './api/access/identity-providers.ts';
import { memberRoutes } from './api/access/members.ts';
import { operatorSessionRoutes } from './api/access/operator-sessions.ts';
import { ownIdentityRoutes } from './api/access/own-identities.ts';
import { ownKeyRoutes } from './api/access/own-keys.ts';
import { passkeySignInRoutes } from './api/access/passkey-sign-in.ts';
import { passkeyRoutes } from './api/access/passkeys.ts';
import { sessionRoutes, systemSessionRoutes } from './api/access/sessions.ts';
import { signInRoutes } from './api/access/sign-in.ts';
import { keyRoutes } from './api/access/system-keys.ts';
import { systemMemberRoutes } from './api/access/system-members.ts';
import { tenantRoutes } from './api/access/tenants.ts';
import { trustPolicyRoutes } from './api/access/trust-policies.ts';
import { alertRuleRoutes } from './api/alerts/alert-rules.ts';
import { alertRoutes, systemAlertRoutes } from './api/alerts/alerts.ts';
import { notificationChannelRoutes } from './api/alerts/channels.ts';
import { eventRoutes } from './api/alerts/events.ts';
import { systemAlertRuleRoutes } from './api/alerts/host-alert-rules.ts';
import { notificationRoutes } from './api/alerts/notifications.ts';
import { attentionRoutes } from './api/attention/attention.ts';
import { backupCopyRoutes } from './api/backups/backup-copies.ts';
import { backupKeyRoutes } from './api/backups/backup-keys.ts';
import { backupRoutes, volumeBackupRoutes } from './api/backups/backups.ts';
import { runRoutes } from './api/commands/runs.ts';
import { scheduleRoutes } from './api/commands/schedules.ts';
import { hostShellRoutes, shellRoutes } from './api/commands/shells.ts';
import { dashboardRoutes } from './api/dashboard/dashboard-page.ts';
import { databaseTlsRoutes } from './api/databases/database-tls.ts';
import { databaseUpgradeRoutes } from './api/databases/database-upgrades.ts';
import { databaseRoutes } from './api/databases/databases.ts';
import { purgeDeletedRoutes } from './api/deletions/purge-deleted.ts';
import { restoreDeletedRoutes } from './api/deletions/restore-deleted.ts';
import { comparisonRoutes } from './api/deployments/deployment-comparison.ts';
import { deploymentRoutes } from './api/deployments/deployments.ts';
import { imageUpdateRoutes } from './api/deployments/image-updates.ts';
import { startStopRoutes } from './api/deployments/start-stop.ts';
import { dnsProviderRoutes } from './api/domains/dns-providers.ts';
import { dnsRecordRoutes } from './api/domains/dns-records.ts';
import { domainRoutes } from './api/domains/domains.ts';
import { ownCertificateRoutes } from './api/domains/own-certificates.ts';
import { trafficRuleRoutes } from './api/domains/traffic-rules.ts';
import { explainCrashRoute, explainRunRoute } from './api/explanations/explain-failure.ts';
import { hostRoutes } from './api/hosts/hosts.ts';
import { runnerConnectionRoutes } from './api/hosts/runner-connection.ts';
import { runnerRoutes } from './api/hosts/runners.ts';
import { fileImportRoutes } from './api/imports/file-imports.ts';
import { importRoutes } from './api/imports/imports.ts';
import { aiProviderRoutes } from './api/instance/ai-providers.ts';
import { auditRoutes, ownAuditRoutes } from './api/instance/audit.ts';
import { healthRoutes } from './api/instance/health.ts';
import { instanceCostRoutes } from './api/instance/instance-costs.ts';
import { settingsRoutes } from './api/instance/settings.ts';
import { keptLogRoutes } from './api/logs/kept-logs.ts';
import { logDrainRoutes } from './api/logs/log-drains.ts';
import { requestRoutes } from './api/logs/requests.ts';
import { runtimeLogRoutes } from './api/logs/runtime-logs.ts';
import { hostMetricRoutes, metricRoutes } from './api/metrics/metrics.ts';
import { changeRoutes } from './api/projects/changes.ts';
import { projectRoutes } from './api/projects/projects.ts';
import { recoveryRoutes } from './api/recovery/recovery.ts';
import { referenceRoutes } from './api/reference/reference-routes.ts';
import { fileRoutes } from './api/services/files.ts';
import { serviceRoutes } from './api/services/services.ts';
import { suggestionRoutes } from './api/services/suggestions.ts';
import { variableRoutes } from './api/services/variables.ts';
import { awaitedPushRoutes } from './api/sources/awaited-pushes.ts';
import { folderRoutes } from './api/sources/folders.ts';
import { deployKeyRoutes, gitCredentialRoutes } from './api/sources/git-credentials.ts';
import { gitWebhookRoutes } from './api/sources/git-webhooks.ts';
import { gitHubAppRoutes } from './api/sources/github-apps.ts';
import { gitHubDeliveryRoutes } from './api/sources/github-deliveries.ts';
import { gitHubSetupRoutes } from './api/sources/github-setup.ts';
import { registryRoutes } from './api/sources/registries.ts';
import { moveRoutes } from './api/volumes/moves.ts';
import { volumeRoutes } from './api/volumes/volumes.ts';
import type { AnyRoute } from './http/route.ts';

/** The sections of the reference, in order. */
export const sections: Readonly<Record<string, readonly AnyRoute[]>> = {
  Projects: projectRoutes,
  Services: [...serviceRoutes, ...deployKeyRoutes],
  Hosts: hostRoutes,
  'Environment variables': variableRoutes,
  Volumes: [...volumeRoutes, ...volumeBackupRoutes, ...moveRoutes],
  Files: fileRoutes,
  Suggestions: suggestionRoutes,
  Domains: [...domainRoutes, ...dnsRecordRoutes, ...ownCertificateRoutes, ...trafficRuleRoutes],
  Deployments: [...deploymentRoutes, ...comparisonRoutes, ...startStopRoutes, ...imageUpdateRoutes],
  'Uploaded folders': folderRoutes,
  Commands: [...runRoutes, explainRunRoute, ...scheduleRoutes],
  Shells: shellRoutes,
  'Deploy on push': [...gitWebhookRoutes, ...awaitedPushRoutes],
  Changes: changeRoutes,
  Metrics: metricRoutes,
  'Runtime logs': [
    ...runtimeLogRoutes,
    ...keptLogRoutes,
    ...requestRoutes,
    ...logDrainRoutes,
    explainCrashRoute,
  ],
  Databases: [...databaseRoutes, ...databaseTlsRoutes, ...databaseUpgradeRoutes],
  Backups: [...backupRoutes, ...backupKeyRoutes],
  Imports: [...importRoutes, ...fileImportRoutes],
  'Deleted resources': restoreDeletedRoutes,
  Registries: registryRoutes,
  'Git credentials': gitCredentialRoutes,
  'GitHub Apps': [...gitHubAppRoutes, ...gitHubDeliveryRoutes],
  Notifications: [...notificationChannelRoutes, ...notificationRoutes],
  Alerts: [...attentionRoutes, ...alertRoutes, ...alertRuleRoutes],
  Keys: ownKeyRoutes,
  'Trust policies': trustPolicyRoutes,
  Sessions: sessionRoutes,
  'Sign-in': [...signInRoutes, ...passkeySignInRoutes, ...deviceSignInRoutes],
  Passkeys: passkeyRoutes,
  Identities: ownIdentityRoutes,
  Members: memberRoutes,
  'Audit log': ownAuditRoutes,
  'System: keys': keyRoutes,
  'System: sessions': [...systemSessionRoutes, ...operatorSessionRoutes],
  'System: runners': [...runnerRoutes, ...hostMetricRoutes],
  'System: AI providers': aiProviderRoutes,
  'System: tenants': tenantRoutes,
  'System: members': systemMemberRoutes,
  'System: identity providers': identityProviderRoutes,
  'System: deleted resources': purgeDeletedRoutes,
  'System: audit': auditRoutes,
  'System: settings': [...settingsRoutes, ...instanceCostRoutes],
  'System: events': [...eventRoutes, ...systemAlertRoutes, ...systemAlertRuleRoutes],
  'System: DNS providers': dnsProviderRoutes,
  'System: recovery': recoveryRoutes,
};

export const routes: readonly AnyRoute[] = [
  ...Object.values(sections).flat(),
  ...referenceRoutes(sections),
  ...healthRoutes,
  ...dashboardRoutes,
  ...gitHubSetupRoutes,
  ...runnerConnectionRoutes,
  ...hostShellRoutes,
  ...backupCopyRoutes,
];
