/** All routes of the control plane, by section of the API reference. Any other path is 404. */
import { aiProviderRoutes } from './api/ai-providers.ts';
import { auditRoutes } from './api/audit.ts';
import { backupCopyRoutes } from './api/backup-copies.ts';
import { backupRoutes } from './api/backups.ts';
import { changeRoutes } from './api/changes/changes.ts';
import { comparisonRoutes } from './api/comparisons/deployment-comparison.ts';
import { dashboardRoutes } from './api/dashboard/dashboard-page.ts';
import { databaseTlsRoutes } from './api/database-tls.ts';
import { databaseUpgradeRoutes } from './api/database-upgrades.ts';
import { databaseRoutes } from './api/databases.ts';
import { purgeDeletedRoutes } from './api/deletions/purge-deleted.ts';
import { restoreDeletedRoutes } from './api/deletions/restore-deleted.ts';
import { deployKeyRoutes } from './api/deploy-keys.ts';
import { deploymentRoutes } from './api/deployments.ts';
import { dnsProviderRoutes } from './api/dns-providers.ts';
import { dnsRecordRoutes } from './api/dns-records.ts';
import { domainRoutes } from './api/domains.ts';
import { eventRoutes } from './api/events.ts';
import { explainCrashRoute, explainRunRoute } from './api/explain-failure.ts';
import { fileImportRoutes } from './api/file-imports.ts';
import { gitWebhookRoutes } from './api/git-webhooks.ts';
import { healthRoutes } from './api/health.ts';
import { hostPortRoutes } from './api/host-ports.ts';
import { hostRoutes } from './api/hosts/hosts.ts';
import { importRoutes } from './api/imports.ts';
import { instanceCostRoutes } from './api/instance/instance-costs.ts';
import { backupKeyRoutes } from './api/keys/backup-keys.ts';
import { gitCredentialRoutes } from './api/keys/git-credentials.ts';
import { operatorSessionRoutes } from './api/keys/operator-sessions.ts';
import { ownKeyRoutes } from './api/keys/own-keys.ts';
import { registryRoutes } from './api/keys/registries.ts';
import { sessionRoutes, systemSessionRoutes } from './api/keys/sessions.ts';
import { keyRoutes } from './api/keys/system-keys.ts';
import { keptLogRoutes } from './api/logs/kept-logs.ts';
import { logDrainRoutes } from './api/logs/log-drains.ts';
import { memberRoutes } from './api/members/members.ts';
import { ownMemberRoutes } from './api/members/own-member.ts';
import { systemMemberRoutes } from './api/members/system-members.ts';
import { alertRuleRoutes } from './api/notifications/alert-rules.ts';
import { alertRoutes, systemAlertRoutes } from './api/notifications/alerts.ts';
import { notificationChannelRoutes } from './api/notifications/channels.ts';
import { systemAlertRuleRoutes } from './api/notifications/host-alert-rules.ts';
import { notificationRoutes } from './api/notifications/notifications.ts';
import { projectRoutes } from './api/projects.ts';
import { recoveryRoutes } from './api/recovery.ts';
import { referenceRoutes } from './api/reference/reference-routes.ts';
import { runnerConnectionRoutes } from './api/runner-connection.ts';
import { runnerTransferRoutes } from './api/runner-transfers.ts';
import { runnerRoutes } from './api/runners.ts';
import { hostShellRoutes } from './api/running/host-shells.ts';
import { hostMetricRoutes, metricRoutes } from './api/running/metrics.ts';
import { runRoutes } from './api/running/runs.ts';
import { scheduleRoutes } from './api/running/schedules.ts';
import { shellRoutes } from './api/running/shells.ts';
import { startStopRoutes } from './api/running/start-stop.ts';
import { runtimeLogRoutes } from './api/runtime-logs.ts';
import { serviceRoutes } from './api/services.ts';
import { settingsRoutes } from './api/settings.ts';
import { identityProviderRoutes } from './api/sign-in/identity-providers.ts';
import { ownIdentityRoutes } from './api/sign-in/own-identities.ts';
import { passkeySignInRoutes } from './api/sign-in/passkey-sign-in.ts';
import { passkeyRoutes } from './api/sign-in/passkeys.ts';
import { signInRoutes } from './api/sign-in/sign-in.ts';
import { folderRoutes } from './api/sources/folders.ts';
import { gitHubAppRoutes } from './api/sources/github-apps.ts';
import { gitHubDeliveryRoutes } from './api/sources/github-deliveries.ts';
import { gitHubSetupRoutes } from './api/sources/github-setup.ts';
import { suggestionRoutes } from './api/suggestions.ts';
import { tenantRoutes } from './api/tenants.ts';
import { ownCertificateRoutes } from './api/traffic/own-certificates.ts';
import { trafficRuleRoutes } from './api/traffic/traffic-rules.ts';
import { variableRoutes } from './api/variables.ts';
import { fileRoutes } from './api/volumes/files.ts';
import { moveRoutes } from './api/volumes/moves.ts';
import { volumeBackupRoutes } from './api/volumes/volume-backups.ts';
import { volumeScheduleRoutes } from './api/volumes/volume-schedule.ts';
import { volumeRoutes } from './api/volumes/volumes.ts';
import type { AnyRoute } from './http/route.ts';

/** The sections of the reference, in order. */
export const sections: Readonly<Record<string, readonly AnyRoute[]>> = {
  Projects: projectRoutes,
  Services: [...serviceRoutes, ...hostPortRoutes, ...deployKeyRoutes],
  Hosts: hostRoutes,
  'Environment variables': variableRoutes,
  Volumes: [...volumeRoutes, ...volumeBackupRoutes, ...volumeScheduleRoutes, ...moveRoutes],
  Files: fileRoutes,
  Suggestions: suggestionRoutes,
  Domains: [...domainRoutes, ...dnsRecordRoutes, ...ownCertificateRoutes, ...trafficRuleRoutes],
  Deployments: [...deploymentRoutes, ...comparisonRoutes, ...startStopRoutes],
  'Uploaded folders': folderRoutes,
  Commands: [...runRoutes, explainRunRoute, ...scheduleRoutes],
  Shells: shellRoutes,
  'Deploy on push': gitWebhookRoutes,
  Changes: changeRoutes,
  Metrics: metricRoutes,
  'Runtime logs': [...runtimeLogRoutes, ...keptLogRoutes, ...logDrainRoutes, explainCrashRoute],
  Databases: [...databaseRoutes, ...databaseTlsRoutes, ...databaseUpgradeRoutes],
  Backups: [...backupRoutes, ...backupKeyRoutes],
  Imports: [...importRoutes, ...fileImportRoutes],
  'Deleted resources': restoreDeletedRoutes,
  Registries: registryRoutes,
  'Git credentials': gitCredentialRoutes,
  'GitHub Apps': [...gitHubAppRoutes, ...gitHubDeliveryRoutes],
  Notifications: [...notificationChannelRoutes, ...notificationRoutes],
  Alerts: [...alertRoutes, ...alertRuleRoutes],
  Keys: ownKeyRoutes,
  Sessions: sessionRoutes,
  'Sign-in': [...signInRoutes, ...passkeySignInRoutes],
  Passkeys: passkeyRoutes,
  Identities: ownIdentityRoutes,
  Members: [...memberRoutes, ...ownMemberRoutes],
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
  ...runnerTransferRoutes,
  ...hostShellRoutes,
  ...backupCopyRoutes,
];
