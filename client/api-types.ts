/** Every route of the API with its query, body and answer. Made by `npm run client`; changes go into the schemas of worker/api. */

export type PostSystemAiProvidersBody =
  | {
      id: string;
      defaultModel: string;
      enabled?: boolean;
      kind: 'openai-compatible';
      baseUrl: string;
      apiKey?: string | null;
    }
  | {
      id: string;
      defaultModel: string;
      enabled?: boolean;
      kind: 'anthropic';
      baseUrl?: string;
      apiKey: string;
    }
  | {
      id: string;
      defaultModel: string;
      enabled?: boolean;
      kind: 'workers-ai';
      accountId: string;
      apiKey: string;
    };
export type PostSystemDnsProvidersBody =
  | {
      id: 'cloudflare';
      credentials: {
        /**
         * API token with the permissions Zone:Read and DNS:Edit for the zones to use.
         */
        apiToken: string;
      };
      /**
       * false: store the credentials without checking them with the provider.
       */
      verify?: boolean;
    }
  | {
      id: 'namecheap';
      credentials: {
        /**
         * User name of the account, from Profile > Tools > API Access.
         */
        apiUser: string;
        /**
         * API key from Profile > Tools > API Access.
         */
        apiKey: string;
        /**
         * Account to act for, if it is not the account of apiUser.
         */
        userName?: string;
        /**
         * Id of the host that calls Namecheap; its public IPv4 address must be on Namecheap's allow-list. Default: the oldest connected host.
         */
        runnerId?: string;
        /**
         * Public IPv4 address of that host, if it differs from what the host reports.
         */
        clientIp?: string;
      };
      /**
       * false: store the credentials without checking them with the provider.
       */
      verify?: boolean;
    }
  | {
      id: 'spaceship';
      credentials: {
        /**
         * API key with the permissions domains:read, dnsrecords:read and dnsrecords:write.
         */
        apiKey: string;
        /**
         * Secret of that API key.
         */
        apiSecret: string;
      };
      /**
       * false: store the credentials without checking them with the provider.
       */
      verify?: boolean;
    };

export interface Routes {
  'GET /api/projects': {
    reply: GetProjectsReply;
  };
  'POST /api/projects': {
    body: PostProjectsBody;
    reply: PostProjectsReply;
  };
  'GET /api/projects/:projectSlug': {
    reply: PostProjectsReply;
  };
  'PATCH /api/projects/:projectId': {
    body: PatchProjectBody;
    reply: PostProjectsReply;
  };
  'DELETE /api/projects/:projectId': {
    reply: DeleteProjectReply;
  };
  'POST /api/projects/:projectId/services': {
    body: PostProjectServicesBody;
    reply: PostProjectServicesReply;
  };
  'GET /api/services/:serviceId': {
    reply: GetServiceReply;
  };
  'GET /api/services/:serviceId/overview': {
    reply: GetServiceOverviewReply;
  };
  'PATCH /api/services/:serviceId': {
    body: PatchServiceBody;
    reply: PatchServiceReply;
  };
  'POST /api/services/:serviceId/transfer': {
    body: PostServiceTransferBody;
    reply: PostServiceTransferReply;
  };
  'DELETE /api/services/:serviceId': {
    reply: DeleteServiceReply;
  };
  'POST /api/services/:serviceId/host-port': {
    body: PostServiceHostPortBody;
    reply: PostServiceHostPortReply;
  };
  'POST /api/services/:serviceId/deploy-key': {
    reply: PostServiceDeployKeyReply;
  };
  'GET /api/services/:serviceId/deploy-key': {
    reply: GetServiceDeployKeyReply;
  };
  'POST /api/services/:serviceId/env': {
    body: PostServiceEnvBody;
    reply: PostServiceEnvReply;
  };
  'POST /api/services/:serviceId/env/bulk': {
    body: PostServiceEnvBulkBody;
    reply: PostServiceEnvBulkReply;
  };
  'GET /api/services/:serviceId/env': {
    reply: GetServiceEnvReply;
  };
  'DELETE /api/services/:serviceId/env/:envId': {
    reply: DeleteServiceEnvReply;
  };
  'GET /api/projects/:projectId/database-variable-suggestions': {
    reply: GetProjectDatabaseVariableSuggestionsReply;
  };
  'GET /api/services/:serviceId/suggestion-keys': {
    reply: GetServiceSuggestionKeysReply;
  };
  'POST /api/services/:serviceId/domains': {
    body: PostServiceDomainsBody;
    reply: PostServiceDomainsReply;
  };
  'PATCH /api/services/:serviceId/domains/:domainId': {
    body: PostServiceDomainsBody;
    reply: PostServiceDomainsReply;
  };
  'DELETE /api/services/:serviceId/domains/:domainId': {
    reply: DeleteServiceDomainReply;
  };
  'POST /api/services/:serviceId/domains/:domainId/dns-records': {
    body: PostServiceDomainDnsRecordsBody;
    reply: PostServiceDomainDnsRecordsReply;
  };
  'POST /api/services/:serviceId/deployments': {
    reply: PostServiceDeploymentsReply;
  };
  'GET /api/services/:serviceId/deployments': {
    query: {
      limit?: number;
      before?: string;
    };
    reply: GetServiceDeploymentsReply;
  };
  'GET /api/deployments/:deploymentId': {
    query: {
      wait?: number;
    };
    reply: PostServiceDeploymentsReply;
  };
  'POST /api/deployments/:deploymentId/abort': {
    reply: PostDeploymentAbortReply;
  };
  'POST /api/deployments/:deploymentId/rollback': {
    reply: PostServiceDeploymentsReply;
  };
  'GET /api/deployments/:deploymentId/logs': {
    query: {
      after?: number;
      limit?: number;
    };
    reply: GetDeploymentLogsReply;
  };
  'GET /api/deployments/:deploymentId/stream': {
    stream: 'text/event-stream';
  };
  'POST /api/deployments/:deploymentId/explain-failure': {
    body: PostDeploymentExplainFailureBody;
    reply: PostDeploymentExplainFailureReply;
  };
  'POST /api/services/:serviceId/webhook': {
    reply: PostServiceWebhookReply;
  };
  'GET /api/services/:serviceId/webhook': {
    reply: GetServiceWebhookReply;
  };
  'DELETE /api/services/:serviceId/webhook': {
    reply: DeleteServiceWebhookReply;
  };
  'GET /api/services/:serviceId/runtime-logs/stream': {
    stream: 'text/event-stream';
  };
  'GET /api/services/:serviceId/database/tables': {
    query: {
      database?: number;
      cursor?: string;
      match?: string;
    };
    reply: GetServiceDatabaseTablesReply;
  };
  'GET /api/services/:serviceId/database/rows': {
    query: {
      table: string;
      limit?: number;
      offset?: number;
      database?: number;
    };
    reply: GetServiceDatabaseRowsReply;
  };
  'POST /api/services/:serviceId/database/query': {
    body: PostServiceDatabaseQueryBody;
    reply: PostServiceDatabaseQueryReply;
  };
  'POST /api/services/:serviceId/database/rows': {
    body: PostServiceDatabaseRowsBody;
    reply: PostServiceDatabaseRowsReply;
  };
  'PATCH /api/services/:serviceId/database/rows': {
    body: PatchServiceDatabaseRowsBody;
    reply: PatchServiceDatabaseRowsReply;
  };
  'DELETE /api/services/:serviceId/database/rows': {
    body: DeleteServiceDatabaseRowsBody;
    reply: PatchServiceDatabaseRowsReply;
  };
  'GET /api/services/:serviceId/database/tls': {
    reply: GetServiceDatabaseTlsReply;
  };
  'GET /api/services/:serviceId/database/tls/ca': {
    stream: 'application/x-pem-file';
  };
  'GET /api/services/:serviceId/database/upgrades': {
    reply: GetServiceDatabaseUpgradesReply;
  };
  'POST /api/services/:serviceId/database/upgrade': {
    body: PostServiceDatabaseUpgradeBody;
    reply: PostServiceDatabaseUpgradeReply;
  };
  'POST /api/services/:serviceId/database/upgrade/undo': {
    reply: PostServiceDatabaseUpgradeReply;
  };
  'POST /api/services/:serviceId/database/upgrade/abort': {
    reply: PostServiceDatabaseUpgradeAbortReply;
  };
  'GET /api/services/:serviceId/database/backups': {
    reply: GetServiceDatabaseBackupsReply;
  };
  'POST /api/services/:serviceId/database/backups': {
    body: PostServiceDatabaseBackupsBody;
    reply: PostServiceDatabaseBackupsReply;
  };
  'PATCH /api/services/:serviceId/database/backups/settings': {
    body: PatchServiceDatabaseBackupsSettingsBody;
    reply: PatchServiceDatabaseBackupsSettingsReply;
  };
  'POST /api/services/:serviceId/database/backups/:backupId/restore': {
    body: PostServiceDatabaseBackupRestoreBody;
    reply: PostServiceDatabaseBackupRestoreReply;
  };
  'POST /api/services/:serviceId/database/backups/:backupId/restore/abort': {
    reply: PostServiceDatabaseBackupRestoreAbortReply;
  };
  'GET /api/services/:serviceId/database/backups/:backupId/download': {
    stream: 'application/octet-stream';
  };
  'POST /api/services/:serviceId/database/backups/:backupId/abort': {
    reply: PostServiceDatabaseBackupAbortReply;
  };
  'POST /api/services/:serviceId/database/backups/:backupId/prove': {
    reply: PostServiceDatabaseBackupProveReply;
  };
  'POST /api/services/:serviceId/database/backups/:backupId/prove/abort': {
    reply: PostServiceDatabaseBackupProveAbortReply;
  };
  'DELETE /api/services/:serviceId/database/backups/:backupId': {
    reply: DeleteServiceDatabaseBackupReply;
  };
  'GET /api/services/:serviceId/database/imports': {
    reply: GetServiceDatabaseImportsReply;
  };
  'POST /api/services/:serviceId/database/import/postgres-url': {
    body: PostServiceDatabaseImportPostgresUrlBody;
    reply: PostServiceDatabaseImportPostgresUrlReply;
  };
  'POST /api/services/:serviceId/database/import/mysql-url': {
    body: PostServiceDatabaseImportMysqlUrlBody;
    reply: PostServiceDatabaseImportMysqlUrlReply;
  };
  'POST /api/services/:serviceId/database/import/redis-url': {
    body: PostServiceDatabaseImportRedisUrlBody;
    reply: PostServiceDatabaseImportRedisUrlReply;
  };
  'POST /api/services/:serviceId/database/import/mongodb-url': {
    body: PostServiceDatabaseImportMongodbUrlBody;
    reply: PostServiceDatabaseImportMongodbUrlReply;
  };
  'POST /api/services/:serviceId/database/import/clickhouse-url': {
    body: PostServiceDatabaseImportClickhouseUrlBody;
    reply: PostServiceDatabaseImportClickhouseUrlReply;
  };
  'POST /api/services/:serviceId/database/imports/:importId/abort': {
    reply: PostServiceDatabaseImportAbortReply;
  };
  'POST /api/services/:serviceId/database/uploads': {
    body: PostServiceDatabaseUploadsBody;
    reply: PostServiceDatabaseUploadsReply;
  };
  'GET /api/services/:serviceId/database/uploads': {
    reply: GetServiceDatabaseUploadsReply;
  };
  'GET /api/services/:serviceId/database/uploads/:uploadId': {
    reply: GetServiceDatabaseUploadReply;
  };
  'PUT /api/services/:serviceId/database/uploads/:uploadId': {
    query: {
      part: string;
    };
    bytes: true;
    reply: PutServiceDatabaseUploadReply;
  };
  'DELETE /api/services/:serviceId/database/uploads/:uploadId': {
    reply: PutServiceDatabaseUploadReply;
  };
  'POST /api/services/:serviceId/database/import/file': {
    body: PostServiceDatabaseImportFileBody;
    reply: PostServiceDatabaseImportFileReply;
  };
  'PUT /api/services/:serviceId/database/import/file': {
    query: {
      replace?: 'true' | 'false';
      checksum?: string;
    };
    bytes: true;
    reply: PutServiceDatabaseImportFileReply;
  };
  'GET /api/deleted': {
    reply: GetDeletedReply;
  };
  'POST /api/services/:serviceId/restore': {
    reply: PostServiceRestoreReply;
  };
  'POST /api/projects/:projectId/restore': {
    reply: PostProjectRestoreReply;
  };
  'POST /api/services/:serviceId/database/backups/:backupId/undelete': {
    reply: PostServiceDatabaseBackupUndeleteReply;
  };
  'GET /api/key': {
    reply: GetKeyReply;
  };
  'GET /api/keys': {
    reply: GetKeysReply;
  };
  'POST /api/keys': {
    body: PostKeysBody;
    reply: PostKeysReply;
  };
  'DELETE /api/keys/:keyId': {
    reply: DeleteKeyReply;
  };
  'GET /api/system/keys': {
    reply: GetSystemKeysReply;
  };
  'POST /api/system/keys': {
    body: PostSystemKeysBody;
    reply: PostKeysReply;
  };
  'POST /api/system/keys/:keyId/rotate': {
    body: PostSystemKeyRotateBody;
    reply: PostKeysReply;
  };
  'DELETE /api/system/keys/:keyId': {
    reply: DeleteSystemKeyReply;
  };
  'GET /api/system/runners': {
    reply: GetSystemRunnersReply;
  };
  'POST /api/system/runners': {
    body: PostSystemRunnersBody;
    reply: PostSystemRunnersReply;
  };
  'PATCH /api/system/runners/:runnerId': {
    body: PatchSystemRunnerBody;
    reply: PatchSystemRunnerReply;
  };
  'DELETE /api/system/runners/:runnerId': {
    reply: DeleteSystemRunnerReply;
  };
  'GET /api/system/ai-providers': {
    reply: GetSystemAiProvidersReply;
  };
  'POST /api/system/ai-providers': {
    body: PostSystemAiProvidersBody;
    reply: PostSystemAiProvidersReply;
  };
  'PATCH /api/system/ai-providers/:aiProviderId': {
    body: PatchSystemAiProviderBody;
    reply: PostSystemAiProvidersReply;
  };
  'DELETE /api/system/ai-providers/:aiProviderId': {
    reply: DeleteSystemAiProviderReply;
  };
  'POST /api/system/ai-providers/:aiProviderId/test': {
    reply: PostSystemAiProviderTestReply;
  };
  'GET /api/system/tenants': {
    reply: GetSystemTenantsReply;
  };
  'POST /api/system/tenants': {
    body: PostSystemTenantsBody;
    reply: PostSystemTenantsReply;
  };
  'PATCH /api/system/tenants/:tenantId': {
    body: PatchSystemTenantBody;
    reply: PostSystemTenantsReply;
  };
  'DELETE /api/system/tenants/:tenantId': {
    reply: DeleteSystemTenantReply;
  };
  'GET /api/system/tenants/:tenantId/data-keys': {
    reply: GetSystemTenantDataKeysReply;
  };
  'POST /api/system/tenants/:tenantId/data-keys': {
    reply: GetSystemTenantDataKeysReply;
  };
  'GET /api/system/deleted': {
    reply: GetSystemDeletedReply;
  };
  'POST /api/system/deleted/:resourceId/purge': {
    reply: PostSystemDeletedPurgeReply;
  };
  'PATCH /api/system/services/:serviceId': {
    body: PatchSystemServiceBody;
    reply: PatchSystemServiceReply;
  };
  'GET /api/system/audit': {
    query: {
      actor?: string;
      tenantId?: string;
      status?: number;
      since?: string;
      until?: string;
      limit?: number;
      before?: string;
    };
    reply: GetSystemAuditReply;
  };
  'GET /api/system/failed-sign-ins': {
    query: {
      since?: string;
      limit?: number;
    };
    reply: GetSystemFailedSignInsReply;
  };
  'GET /api/system/settings': {
    reply: GetSystemSettingsReply;
  };
  'PATCH /api/system/settings': {
    body: PatchSystemSettingsBody;
    reply: PatchSystemSettingsReply;
  };
  'GET /api/system/encryption': {
    reply: GetSystemEncryptionReply;
  };
  'GET /api/system/events': {
    query: {
      limit?: number;
    };
    reply: GetSystemEventsReply;
  };
  'POST /api/system/settings/event-webhook/test': {
    reply: PostSystemSettingsEventWebhookTestReply;
  };
  'GET /api/system/dns-providers': {
    reply: GetSystemDnsProvidersReply;
  };
  'POST /api/system/dns-providers': {
    body: PostSystemDnsProvidersBody;
    reply: PostSystemDnsProvidersReply;
  };
  'PATCH /api/system/dns-providers/:providerId': {
    body: PatchSystemDnsProviderBody;
    reply: PostSystemDnsProvidersReply;
  };
  'DELETE /api/system/dns-providers/:providerId': {
    reply: DeleteSystemDnsProviderReply;
  };
  'GET /api/system/dumps': {
    reply: GetSystemDumpsReply;
  };
  'POST /api/system/dumps': {
    reply: PostSystemDumpsReply;
  };
  'POST /api/system/restored': {
    reply: PostSystemRestoredReply;
  };
  'GET /api/system/strays/hosts': {
    query: {
      after?: string;
    };
    reply: GetSystemStraysHostsReply;
  };
  'GET /api/system/strays/bucket': {
    query: {
      after?: string;
    };
    reply: GetSystemStraysBucketReply;
  };
  'POST /api/system/strays/remove': {
    body: PostSystemStraysRemoveBody;
    reply: PostSystemStraysRemoveReply;
  };
}
export interface GetProjectsReply {
  projects: Project[];
}
export interface Project {
  id: string;
  name: string;
  slug: string;
  description: string;
  status: 'idle' | 'building' | 'active' | 'degraded';
  serviceCount: number;
  lastUpdatedAt: string;
  services: Service[];
}
export interface Service {
  id: string;
  projectId: string;
  name: string;
  slug: string;
  repoFullName: string | null;
  repoUrl: string;
  imageRef: string | null;
  branch: string;
  rootDir: string | null;
  hasGitHostToken: boolean;
  installCommand: string | null;
  buildCommand: string | null;
  startCommand: string | null;
  staticOutput: string | null;
  buildMethod: 'auto' | 'dockerfile' | 'analyzer';
  dockerfilePath: string | null;
  detectedBuildMethod: ('dockerfile' | 'analyzer') | null;
  runtimeMode: 'web' | 'worker' | 'static';
  internalPort: number;
  hostPort: number;
  databasePublicEnabled: boolean;
  databasePublicHostname: string | null;
  postgresLogicalReplicationEnabled: boolean;
  engineSettings: {
    [k: string]: string;
  };
  databaseImage: string | null;
  status: 'idle' | 'queued' | 'building' | 'active' | 'failed' | 'crashed';
  reachable: boolean;
  localUrl: string;
  primaryUrl: string;
  preferredDomain: string | null;
  framework: string | null;
  lastDeployedAt: string | null;
  createdAt: string;
  updatedAt: string;
  runnerId: string;
  healthCheckPath: string | null;
  memoryLimitMb: number | null;
  cpuLimit: number | null;
  protected: boolean;
}
export interface PostProjectsBody {
  name: string;
  description?: string;
}
export interface PostProjectsReply {
  project: Project;
}
export interface PatchProjectBody {
  name?: string;
  description?: string;
}
export interface DeleteProjectReply {
  ok: true;
  proxy: {
    ok: boolean;
    detail: string;
  };
}
export interface PostProjectServicesBody {
  name: string;
  repoFullName?: string | null;
  repoUrl?: 'container-image' | 'database' | string;
  imageRef?: string | null;
  branch?: string;
  rootDir?: string | null;
  installCommand?: string | null;
  buildCommand?: string | null;
  startCommand?: string | null;
  staticOutput?: string | null;
  buildMethod?: 'auto' | 'dockerfile' | 'analyzer';
  dockerfilePath?: string | null;
  runtimeMode?: 'web' | 'worker' | 'static';
  internalPort?: number;
  databasePublicEnabled?: boolean;
  databasePublicHostname?: string | null;
  postgresLogicalReplicationEnabled?: boolean;
  engineSettings?: {
    [k: string]: string | number | null;
  } | null;
  gitToken?: string | null;
  runnerId?: string;
  healthCheckPath?: string | null;
  memoryLimitMb?: number | null;
  cpuLimit?: number | null;
  protected?: boolean;
  env?: PostServiceEnvBody[];
}
export interface PostServiceEnvBody {
  key: string;
  value: string;
  secret?: boolean;
}
export interface PostProjectServicesReply {
  service: Service;
  warnings?: string[];
}
export interface GetServiceReply {
  service: Service;
}
export interface GetServiceOverviewReply {
  service: Service;
  deployments: Deployment[];
  env: Variable[];
  domains: Domain[];
  publicIp: string;
  warnings: string[];
}
export interface Deployment {
  id: string;
  serviceId: string;
  commitSha: string | null;
  status: 'queued' | 'building' | 'running' | 'superseded' | 'failed' | 'aborted';
  trigger: 'manual' | 'rollback' | 'webhook' | 'restore';
  commitMessage: string | null;
  commitAuthor: string | null;
  branch: string | null;
  failureCode: string | null;
  failureMessage: string | null;
  waitsFor: string | null;
  imageTag: string | null;
  containerName: string | null;
  startedAt: string | null;
  finishedAt: string | null;
  createdAt: string;
}
export interface Variable {
  id: string;
  key: string;
  hasValue: boolean;
  secret: boolean;
  value: string;
  resolvedValue: string;
  createdAt: string;
  updatedAt: string;
}
export interface Domain {
  id: string;
  serviceId: string;
  hostname: string;
  status: 'pending' | 'active';
  detail: string;
  certificate: {
    state: 'none' | 'pending' | 'issued' | 'failed';
    expiresAt: string | null;
    detail: string;
  };
  proof?: {
    recordType: 'TXT';
    name: string;
    value: string;
  };
  createdAt: string;
  updatedAt: string;
}
export interface PatchServiceBody {
  name?: string;
  repoFullName?: string | null;
  repoUrl?: 'container-image' | 'database' | string;
  imageRef?: string | null;
  branch?: string;
  rootDir?: string | null;
  installCommand?: string | null;
  buildCommand?: string | null;
  startCommand?: string | null;
  staticOutput?: string | null;
  buildMethod?: 'auto' | 'dockerfile' | 'analyzer';
  dockerfilePath?: string | null;
  runtimeMode?: 'web' | 'worker' | 'static';
  internalPort?: number;
  databasePublicEnabled?: boolean;
  databasePublicHostname?: string | null;
  postgresLogicalReplicationEnabled?: boolean;
  engineSettings?: {
    [k: string]: string | number | null;
  } | null;
  gitToken?: string | null;
  runnerId?: string;
  healthCheckPath?: string | null;
  memoryLimitMb?: number | null;
  cpuLimit?: number | null;
  protected?: boolean;
}
export interface PatchServiceReply {
  service: Service;
  warnings?: string[];
}
export interface PostServiceTransferBody {
  targetProjectId: string;
}
export interface PostServiceTransferReply {
  service: Service;
  project: Project;
  proxy: {
    ok: boolean;
    detail: string;
  };
}
export interface DeleteServiceReply {
  ok: true;
  proxy: {
    ok: boolean;
    detail: string;
  };
}
export interface PostServiceHostPortBody {
  /**
   * A port of the block that the host has for apps or for databases.
   */
  port?: number;
}
export interface PostServiceHostPortReply {
  service: Service;
  port: number;
  pending: boolean;
}
export interface PostServiceDeployKeyReply {
  deployKey: {
    publicKey: string;
    fingerprint: string;
  };
}
export interface GetServiceDeployKeyReply {
  deployKey: {
    publicKey: string;
    fingerprint: string;
  } | null;
}
export interface PostServiceEnvReply {
  ok: true;
  id: string;
  warnings?: string[];
}
export interface PostServiceEnvBulkBody {
  text?: string;
  env?: PostServiceEnvBody[];
}
export interface PostServiceEnvBulkReply {
  ok: true;
  env: {
    id: string;
    key: string;
    created: boolean;
  }[];
  warnings?: string[];
}
export interface GetServiceEnvReply {
  env: Variable[];
}
export interface DeleteServiceEnvReply {
  ok: true;
}
export interface GetProjectDatabaseVariableSuggestionsReply {
  suggestions: {
    key: string;
    value: string;
    label: string;
  }[];
}
export interface GetServiceSuggestionKeysReply {
  suggestions: {
    key: string;
    label: string;
  }[];
  databaseVariables: {
    key: string;
    value: string;
    label: string;
  }[];
}
export interface PostServiceDomainsBody {
  hostname: string;
}
export interface PostServiceDomainsReply {
  ok: true;
  proxy: {
    ok: boolean;
    detail: string;
  };
  domain?: Domain;
  targetIp?: string;
}
export interface DeleteServiceDomainReply {
  ok: true;
  proxy: {
    ok: boolean;
    detail: string;
  };
}
export interface PostServiceDomainDnsRecordsBody {
  providerId: 'cloudflare' | 'namecheap' | 'spaceship';
}
export interface PostServiceDomainDnsRecordsReply {
  ok: true;
  result: {
    provider: 'cloudflare' | 'namecheap' | 'spaceship';
    providerName: string;
    action: 'created' | 'updated' | 'unchanged';
    hostname: string;
    recordType: 'A' | 'AAAA';
    host: string;
    zone: string;
    targetIp: string;
  };
  domain: Domain;
  verificationRecord?: {
    recordType: 'TXT';
    name: string;
    value: string;
    action: 'created' | 'unchanged' | 'failed';
    detail: string | null;
  };
}
export interface PostServiceDeploymentsReply {
  deployment: Deployment;
}
export interface GetServiceDeploymentsReply {
  deployments: Deployment[];
}
export interface PostDeploymentAbortReply {
  accepted: true;
}
export interface GetDeploymentLogsReply {
  logs: LogEntry[];
}
export interface LogEntry {
  id: number;
  deploymentId: string;
  line: string;
  stream: 'stdout' | 'stderr' | 'system';
  createdAt: string;
}
export interface PostDeploymentExplainFailureBody {
  providerId?: string;
  model?: string;
}
export interface PostDeploymentExplainFailureReply {
  explanation: {
    summary: string;
    likelyCause: string;
    suggestedFix: string;
    commands: string[];
  };
  provider: {
    id: string;
    model: string | null;
    fallbackReason: string | null;
  };
}
export interface PostServiceWebhookReply {
  webhook: {
    url: string;
    secret: string;
    events: string[];
  };
}
export interface GetServiceWebhookReply {
  webhook: {
    url: string;
    createdAt: string;
  } | null;
}
export interface DeleteServiceWebhookReply {
  ok: true;
}
export interface GetServiceDatabaseTablesReply {
  engine: 'postgres' | 'timescale' | 'mysql' | 'redis' | 'mongodb' | 'clickhouse';
  tables: {
    id: string;
    name: string;
    schema: string;
    rowCount: number;
  }[];
  cursor?: string | null;
}
export interface GetServiceDatabaseRowsReply {
  engine: 'postgres' | 'timescale' | 'mysql' | 'redis' | 'mongodb' | 'clickhouse';
  table: string;
  columns: {
    name: string;
    type: string;
    primary: boolean;
  }[];
  rows: {
    [k: string]: unknown;
  }[];
  limit: number;
  offset: number;
  total: number;
  ttl?: number | null;
}
export interface PostServiceDatabaseQueryBody {
  sql: string;
  database?: number;
}
export interface PostServiceDatabaseQueryReply {
  columns: {
    name: string;
    type: string;
  }[];
  rows: {
    [k: string]: unknown;
  }[];
  rowCount: number;
  truncated: boolean;
  /**
   * Only if `truncated`: which limit cut the answer. `bytes` with no row: the first row alone is larger than 1 MB.
   */
  truncatedBy?: 'rows' | 'bytes';
}
export interface PostServiceDatabaseRowsBody {
  table: string;
  values: {
    [k: string]: unknown;
  };
}
export interface PostServiceDatabaseRowsReply {
  ok: true;
  table: string;
  id: string | number | null;
}
export interface PatchServiceDatabaseRowsBody {
  table: string;
  primaryKey: {
    [k: string]: unknown;
  };
  values: {
    [k: string]: unknown;
  };
}
export interface PatchServiceDatabaseRowsReply {
  ok: true;
}
export interface DeleteServiceDatabaseRowsBody {
  table: string;
  primaryKey: {
    [k: string]: unknown;
  };
}
export interface GetServiceDatabaseTlsReply {
  tls: {
    active: boolean;
    caCertAvailable: boolean;
    publicHostname: string;
    publicPort: number;
  };
}
export interface GetServiceDatabaseUpgradesReply {
  upgrades: {
    id: string;
    serviceId: string;
    action: 'dry-run' | 'upgrade' | 'undo';
    fromImage: string;
    toImage: string;
    status: 'running' | 'succeeded' | 'failed';
    phase:
      | (
          | 'clone'
          | 'build'
          | 'start'
          | 'health'
          | 'switch'
          | 'finish'
          | 'dump'
          | 'verify'
          | 'upload'
          | 'fetch'
          | 'safeguard'
          | 'load'
          | 'prove'
        )
      | null;
    progress: {
      done: number;
      total: number | null;
      unit: 'bytes' | 'rows' | 'keys';
    } | null;
    error: string | null;
    safetyBackupId: string | null;
    undoes: string | null;
    createdAt: string;
    finishedAt: string | null;
  }[];
  undoableUntil: string | null;
}
export interface PostServiceDatabaseUpgradeBody {
  imageRef: string;
  dryRun?: boolean;
  acceptNotKept?: boolean;
}
export interface PostServiceDatabaseUpgradeReply {
  upgrade: {
    id: string;
    serviceId: string;
    action: 'dry-run' | 'upgrade' | 'undo';
    fromImage: string;
    toImage: string;
    status: 'running' | 'succeeded' | 'failed';
    phase:
      | (
          | 'clone'
          | 'build'
          | 'start'
          | 'health'
          | 'switch'
          | 'finish'
          | 'dump'
          | 'verify'
          | 'upload'
          | 'fetch'
          | 'safeguard'
          | 'load'
          | 'prove'
        )
      | null;
    progress: {
      done: number;
      total: number | null;
      unit: 'bytes' | 'rows' | 'keys';
    } | null;
    error: string | null;
    safetyBackupId: string | null;
    undoes: string | null;
    createdAt: string;
    finishedAt: string | null;
  };
}
export interface PostServiceDatabaseUpgradeAbortReply {
  accepted: true;
}
export interface GetServiceDatabaseBackupsReply {
  backups: {
    id: string;
    serviceId: string;
    engine: string;
    status: 'running' | 'succeeded' | 'failed';
    trigger: 'manual' | 'daily' | 'weekly' | 'monthly' | 'pre-restore';
    storage: 'disk' | 'remote' | 'disk+remote';
    format: 'custom' | 'sql' | 'rdb' | 'archive' | 'native';
    localPath: string | null;
    remoteKey: string | null;
    sizeBytes: number;
    checksum: string;
    tables: number | null;
    rows: number | null;
    notKept: string[];
    progress: {
      done: number;
      total: number | null;
      unit: 'bytes' | 'rows' | 'keys';
    } | null;
    error: string | null;
    lastProvenAt: string | null;
    createdAt: string;
    startedAt: string;
    finishedAt: string | null;
    restore: {
      id: string;
      serviceId: string;
      state: 'running' | 'succeeded' | 'failed';
      progress: {
        done: number;
        total: number | null;
        unit: 'bytes' | 'rows' | 'keys';
      } | null;
      error: string | null;
      safetyBackupId: string | null;
      createdAt: string;
      finishedAt: string | null;
    } | null;
    drill: {
      id: string;
      backupId: string;
      trigger: 'manual' | 'weekly';
      state: 'running' | 'succeeded' | 'failed' | 'skipped' | 'aborted';
      progress: {
        done: number;
        total: number | null;
        unit: 'bytes' | 'rows' | 'keys';
      } | null;
      error: string | null;
      createdAt: string;
      finishedAt: string | null;
    } | null;
  }[];
  settings: {
    serviceId: string;
    storage: 'disk' | 'remote' | 'disk+remote';
    automaticEnabled: boolean;
    dailyEnabled: boolean;
    weeklyEnabled: boolean;
    monthlyEnabled: boolean;
    drill: 'weekly' | 'off';
    nextBackupAt: string | null;
    createdAt: string;
    updatedAt: string;
  };
  remote: {
    connected: boolean;
  };
}
export interface PostServiceDatabaseBackupsBody {
  storage: 'disk' | 'remote' | 'disk+remote';
}
export interface PostServiceDatabaseBackupsReply {
  backup: {
    id: string;
    serviceId: string;
    engine: string;
    status: 'running' | 'succeeded' | 'failed';
    trigger: 'manual' | 'daily' | 'weekly' | 'monthly' | 'pre-restore';
    storage: 'disk' | 'remote' | 'disk+remote';
    format: 'custom' | 'sql' | 'rdb' | 'archive' | 'native';
    localPath: string | null;
    remoteKey: string | null;
    sizeBytes: number;
    checksum: string;
    tables: number | null;
    rows: number | null;
    notKept: string[];
    progress: {
      done: number;
      total: number | null;
      unit: 'bytes' | 'rows' | 'keys';
    } | null;
    error: string | null;
    lastProvenAt: string | null;
    createdAt: string;
    startedAt: string;
    finishedAt: string | null;
  };
}
export interface PatchServiceDatabaseBackupsSettingsBody {
  storage?: 'disk' | 'remote' | 'disk+remote';
  automaticEnabled?: boolean;
  dailyEnabled?: boolean;
  weeklyEnabled?: boolean;
  monthlyEnabled?: boolean;
  drill?: 'weekly' | 'off';
}
export interface PatchServiceDatabaseBackupsSettingsReply {
  settings: {
    serviceId: string;
    storage: 'disk' | 'remote' | 'disk+remote';
    automaticEnabled: boolean;
    dailyEnabled: boolean;
    weeklyEnabled: boolean;
    monthlyEnabled: boolean;
    drill: 'weekly' | 'off';
    nextBackupAt: string | null;
    createdAt: string;
    updatedAt: string;
  };
}
export interface PostServiceDatabaseBackupRestoreBody {
  targetServiceId?: string;
}
export interface PostServiceDatabaseBackupRestoreReply {
  ok: true;
  restoredAt: string;
  backup: {
    id: string;
    status: string;
  };
}
export interface PostServiceDatabaseBackupRestoreAbortReply {
  accepted: true;
}
export interface PostServiceDatabaseBackupAbortReply {
  accepted: true;
}
export interface PostServiceDatabaseBackupProveReply {
  drill: {
    id: string;
    backupId: string;
    trigger: 'manual' | 'weekly';
    state: 'running' | 'succeeded' | 'failed' | 'skipped' | 'aborted';
    progress: {
      done: number;
      total: number | null;
      unit: 'bytes' | 'rows' | 'keys';
    } | null;
    error: string | null;
    createdAt: string;
    finishedAt: string | null;
  };
}
export interface PostServiceDatabaseBackupProveAbortReply {
  accepted: true;
}
export interface DeleteServiceDatabaseBackupReply {
  ok: true;
}
export interface GetServiceDatabaseImportsReply {
  imports: {
    id: string;
    serviceId: string;
    engine: string;
    source: 'postgres-url' | 'mysql-url' | 'redis-url' | 'mongodb-url' | 'clickhouse-url' | 'file';
    sourceLabel: string;
    status: 'running' | 'succeeded' | 'failed';
    progress: {
      done: number;
      total: number | null;
      unit: 'bytes' | 'rows' | 'keys';
    } | null;
    error: string | null;
    safetyBackupId: string | null;
    createdAt: string;
    startedAt: string;
    finishedAt: string | null;
  }[];
}
export interface PostServiceDatabaseImportPostgresUrlBody {
  sourceUrl: string;
  replace?: boolean;
}
export interface PostServiceDatabaseImportPostgresUrlReply {
  result: {
    id: string;
    status: 'running' | 'succeeded' | 'failed';
    source: 'postgres-url' | 'mysql-url' | 'redis-url' | 'mongodb-url' | 'clickhouse-url' | 'file';
    createdAt: string;
  };
}
export interface PostServiceDatabaseImportMysqlUrlBody {
  sourceUrl: string;
  replace?: boolean;
}
export interface PostServiceDatabaseImportMysqlUrlReply {
  result: {
    id: string;
    status: 'running' | 'succeeded' | 'failed';
    source: 'postgres-url' | 'mysql-url' | 'redis-url' | 'mongodb-url' | 'clickhouse-url' | 'file';
    createdAt: string;
  };
}
export interface PostServiceDatabaseImportRedisUrlBody {
  sourceUrl: string;
  replace?: boolean;
}
export interface PostServiceDatabaseImportRedisUrlReply {
  result: {
    id: string;
    status: 'running' | 'succeeded' | 'failed';
    source: 'postgres-url' | 'mysql-url' | 'redis-url' | 'mongodb-url' | 'clickhouse-url' | 'file';
    createdAt: string;
  };
}
export interface PostServiceDatabaseImportMongodbUrlBody {
  sourceUrl: string;
  replace?: boolean;
}
export interface PostServiceDatabaseImportMongodbUrlReply {
  result: {
    id: string;
    status: 'running' | 'succeeded' | 'failed';
    source: 'postgres-url' | 'mysql-url' | 'redis-url' | 'mongodb-url' | 'clickhouse-url' | 'file';
    createdAt: string;
  };
}
export interface PostServiceDatabaseImportClickhouseUrlBody {
  sourceUrl: string;
  replace?: boolean;
}
export interface PostServiceDatabaseImportClickhouseUrlReply {
  result: {
    id: string;
    status: 'running' | 'succeeded' | 'failed';
    source: 'postgres-url' | 'mysql-url' | 'redis-url' | 'mongodb-url' | 'clickhouse-url' | 'file';
    createdAt: string;
  };
}
export interface PostServiceDatabaseImportAbortReply {
  accepted: true;
}
export interface PostServiceDatabaseUploadsBody {
  sizeBytes: number;
  checksum?: string;
}
export interface PostServiceDatabaseUploadsReply {
  upload: {
    id: string;
    sizeBytes: number;
    partBytes: number;
    parts: number;
    expiresAt: string;
  };
}
export interface GetServiceDatabaseUploadsReply {
  uploads: {
    id: string;
    sizeBytes: number;
    partBytes: number;
    parts: number;
    expiresAt: string;
  }[];
}
export interface GetServiceDatabaseUploadReply {
  upload: {
    id: string;
    sizeBytes: number;
    partBytes: number;
    parts: number;
    expiresAt: string;
    received: number[];
    missing: number[];
  };
}
export interface PutServiceDatabaseUploadReply {
  ok: true;
}
export interface PostServiceDatabaseImportFileBody {
  uploadId: string;
  replace?: boolean;
}
export interface PostServiceDatabaseImportFileReply {
  result: {
    id: string;
    status: 'running' | 'succeeded' | 'failed';
    source: 'postgres-url' | 'mysql-url' | 'redis-url' | 'mongodb-url' | 'clickhouse-url' | 'file';
    createdAt: string;
  };
}
export interface PutServiceDatabaseImportFileReply {
  result: {
    id: string;
    status: 'running' | 'succeeded' | 'failed';
    source: 'postgres-url' | 'mysql-url' | 'redis-url' | 'mongodb-url' | 'clickhouse-url' | 'file';
    createdAt: string;
  };
}
export interface GetDeletedReply {
  deleted: {
    id: string;
    kind: 'service' | 'project' | 'backup';
    name: string;
    projectId: string;
    projectName: string;
    serviceId: string | null;
    deletedAt: string;
    restorableUntil: string;
    backupBytes: number;
    restore: string;
  }[];
}
export interface PostServiceRestoreReply {
  service: Service;
  changes: {
    serviceId: string | null;
    field: 'slug' | 'hostPort' | 'generatedHostname' | 'databasePublicHostname' | 'domain';
    before: string;
    after: string | null;
  }[];
}
export interface PostProjectRestoreReply {
  project: Project;
  changes: {
    serviceId: string | null;
    field: 'slug' | 'hostPort' | 'generatedHostname' | 'databasePublicHostname' | 'domain';
    before: string;
    after: string | null;
  }[];
}
export interface PostServiceDatabaseBackupUndeleteReply {
  backup: {
    id: string;
    serviceId: string;
    engine: string;
    status: 'running' | 'succeeded' | 'failed';
    trigger: 'manual' | 'daily' | 'weekly' | 'monthly' | 'pre-restore';
    storage: 'disk' | 'remote' | 'disk+remote';
    format: 'custom' | 'sql' | 'rdb' | 'archive' | 'native';
    localPath: string | null;
    remoteKey: string | null;
    sizeBytes: number;
    checksum: string;
    tables: number | null;
    rows: number | null;
    notKept: string[];
    progress: {
      done: number;
      total: number | null;
      unit: 'bytes' | 'rows' | 'keys';
    } | null;
    error: string | null;
    lastProvenAt: string | null;
    createdAt: string;
    startedAt: string;
    finishedAt: string | null;
  };
}
export interface GetKeyReply {
  key: {
    id: string;
    name: string;
    access: 'read' | 'deploy' | 'write' | 'destroy' | 'operator';
    projects: 'all' | string[];
    tenantId?: string;
    madeBy?: string;
    prefix: string | null;
    createdAt: string | null;
    expiresAt: string | null;
    lastUsedAt: string | null;
    may: ('read' | 'deploy' | 'write' | 'destroy' | 'create-projects' | 'make-keys' | 'operate')[];
  };
}
export interface GetKeysReply {
  keys: {
    id: string;
    name: string;
    access: 'read' | 'deploy' | 'write' | 'destroy';
    projects: 'all' | string[];
    tenantId?: string;
    madeBy?: string;
    prefix: string;
    createdAt: string;
    expiresAt: string | null;
    lastUsedAt: string | null;
  }[];
}
export interface PostKeysBody {
  name: string;
  access?: 'read' | 'deploy' | 'write' | 'destroy';
  projects?: 'all' | [string, ...string[]];
  expiresInMinutes: number;
}
export interface PostKeysReply {
  key: {
    id: string;
    name: string;
    access: 'read' | 'deploy' | 'write' | 'destroy';
    projects: 'all' | string[];
    tenantId?: string;
    madeBy?: string;
    prefix: string;
    createdAt: string;
    expiresAt: string | null;
    lastUsedAt: string | null;
  };
  token: string;
}
export interface DeleteKeyReply {
  ok: true;
}
export interface GetSystemKeysReply {
  keys: {
    id: string;
    name: string;
    access: 'read' | 'deploy' | 'write' | 'destroy';
    projects: 'all' | string[];
    tenantId?: string;
    madeBy?: string;
    prefix: string;
    createdAt: string;
    expiresAt: string | null;
    lastUsedAt: string | null;
  }[];
}
export interface PostSystemKeysBody {
  name: string;
  access: 'read' | 'deploy' | 'write' | 'destroy';
  projects: 'all' | [string, ...string[]];
  expiresInDays?: number | null;
  tenantId?: string;
}
export interface PostSystemKeyRotateBody {
  immediately?: boolean;
}
export interface DeleteSystemKeyReply {
  ok: true;
}
export interface GetSystemRunnersReply {
  runners: {
    id: string;
    name: string;
    tenantId?: string;
    shared: boolean;
    trustedRunc: string | null;
    warning: string | null;
    connected: boolean;
    drained: boolean;
    connectedAt: string | null;
    disconnectedAt: string | null;
    createdAt: string;
    facts: {
      version: string;
      arch: string;
      cpus: number;
      memoryMb: number;
      dockerVersion: string | null;
      buildFixes?: boolean | null;
      runcVersion?: string | null;
      runcFixes?: boolean | null;
      isolation?: {
        firewall: 'in-place' | 'missing' | 'unsupported';
        firewallProblem: string | null;
        userNamespaces: boolean;
        storageLimits: boolean;
      };
      publicIp: string | null;
      httpPort: number;
      httpsPort: number;
      webPorts: {
        first: number;
        last: number;
      };
      databasePorts: {
        first: number;
        last: number;
      };
      busyPorts?: number[];
    };
  }[];
}
export interface PostSystemRunnersBody {
  name?: string;
  tenantId?: string;
  shared?: boolean;
}
export interface PostSystemRunnersReply {
  token: string;
  expiresAt: string;
  command: string;
}
export interface PatchSystemRunnerBody {
  name?: string;
  drained?: boolean;
  tenantId?: string;
  shared?: boolean;
  trustedRunc?: string | null;
}
export interface PatchSystemRunnerReply {
  runner: {
    id: string;
    name: string;
    tenantId?: string;
    shared: boolean;
    trustedRunc: string | null;
    warning: string | null;
    connected: boolean;
    drained: boolean;
    connectedAt: string | null;
    disconnectedAt: string | null;
    createdAt: string;
    facts: {
      version: string;
      arch: string;
      cpus: number;
      memoryMb: number;
      dockerVersion: string | null;
      buildFixes?: boolean | null;
      runcVersion?: string | null;
      runcFixes?: boolean | null;
      isolation?: {
        firewall: 'in-place' | 'missing' | 'unsupported';
        firewallProblem: string | null;
        userNamespaces: boolean;
        storageLimits: boolean;
      };
      publicIp: string | null;
      httpPort: number;
      httpsPort: number;
      webPorts: {
        first: number;
        last: number;
      };
      databasePorts: {
        first: number;
        last: number;
      };
      busyPorts?: number[];
    };
  };
}
export interface DeleteSystemRunnerReply {
  ok: true;
}
export interface GetSystemAiProvidersReply {
  providers: {
    id: string;
    kind: 'openai-compatible' | 'anthropic' | 'workers-ai';
    baseUrl: string;
    defaultModel: string;
    enabled: boolean;
    createdAt: string;
    updatedAt: string;
  }[];
}
export interface PostSystemAiProvidersReply {
  provider: {
    id: string;
    kind: 'openai-compatible' | 'anthropic' | 'workers-ai';
    baseUrl: string;
    defaultModel: string;
    enabled: boolean;
    createdAt: string;
    updatedAt: string;
  };
}
export interface PatchSystemAiProviderBody {
  baseUrl?: string;
  apiKey?: string | null;
  defaultModel?: string;
  enabled?: boolean;
}
export interface DeleteSystemAiProviderReply {
  ok: true;
}
export interface PostSystemAiProviderTestReply {
  result: {
    ok: boolean;
    model: string;
    detail: string;
    durationMs: number;
  };
}
export interface GetSystemTenantsReply {
  tenants: {
    id: string;
    name: string;
    quotas: {
      projects: number | null;
      services: number | null;
      domains: number | null;
      concurrentBuilds: number | null;
      memoryMb: number | null;
      backupBytes: number | null;
      diskMb: number | null;
      keptDeletions: number | null;
      keptDeletionBytes: number | null;
      containerMemoryMb: number | null;
      containerCpus: number | null;
      containerPids: number | null;
      containerOpenFiles: number | null;
      containerDiskMb: number | null;
      buildMinutesPerDay: number | null;
      buildLogBytesPerDay: number | null;
      logReadersPerKey: number | null;
    };
    usage: {
      projects: number;
      services: number;
      domains: number;
      concurrentBuilds: number;
      memoryMb: number;
      backupBytes: number;
      diskMb: number;
      keptDeletions: number;
      keptDeletionBytes: number;
      buildMinutesPerDay: number;
      buildLogBytesPerDay: number;
    };
    createdAt: string;
  }[];
}
export interface PostSystemTenantsBody {
  name: string;
  quotas?: {
    projects?: number | null;
    services?: number | null;
    domains?: number | null;
    concurrentBuilds?: number | null;
    memoryMb?: number | null;
    backupBytes?: number | null;
    diskMb?: number | null;
    keptDeletions?: number | null;
    keptDeletionBytes?: number | null;
    containerMemoryMb?: number | null;
    containerCpus?: number | null;
    containerPids?: number | null;
    containerOpenFiles?: number | null;
    containerDiskMb?: number | null;
    buildMinutesPerDay?: number | null;
    buildLogBytesPerDay?: number | null;
    logReadersPerKey?: number | null;
  };
}
export interface PostSystemTenantsReply {
  tenant: {
    id: string;
    name: string;
    quotas: {
      projects: number | null;
      services: number | null;
      domains: number | null;
      concurrentBuilds: number | null;
      memoryMb: number | null;
      backupBytes: number | null;
      diskMb: number | null;
      keptDeletions: number | null;
      keptDeletionBytes: number | null;
      containerMemoryMb: number | null;
      containerCpus: number | null;
      containerPids: number | null;
      containerOpenFiles: number | null;
      containerDiskMb: number | null;
      buildMinutesPerDay: number | null;
      buildLogBytesPerDay: number | null;
      logReadersPerKey: number | null;
    };
    usage: {
      projects: number;
      services: number;
      domains: number;
      concurrentBuilds: number;
      memoryMb: number;
      backupBytes: number;
      diskMb: number;
      keptDeletions: number;
      keptDeletionBytes: number;
      buildMinutesPerDay: number;
      buildLogBytesPerDay: number;
    };
    createdAt: string;
  };
}
export interface PatchSystemTenantBody {
  name?: string;
  quotas?: {
    projects?: number | null;
    services?: number | null;
    domains?: number | null;
    concurrentBuilds?: number | null;
    memoryMb?: number | null;
    backupBytes?: number | null;
    diskMb?: number | null;
    keptDeletions?: number | null;
    keptDeletionBytes?: number | null;
    containerMemoryMb?: number | null;
    containerCpus?: number | null;
    containerPids?: number | null;
    containerOpenFiles?: number | null;
    containerDiskMb?: number | null;
    buildMinutesPerDay?: number | null;
    buildLogBytesPerDay?: number | null;
    logReadersPerKey?: number | null;
  };
}
export interface DeleteSystemTenantReply {
  ok: true;
}
export interface GetSystemTenantDataKeysReply {
  dataKeys: {
    projects: number;
    projectsInProgress: number;
    rowsToReseal: number;
    oldestKeyMadeAt: string | null;
  };
}
export interface GetSystemDeletedReply {
  deleted: {
    id: string;
    kind: 'service' | 'project' | 'backup';
    name: string;
    projectId: string;
    projectName: string;
    serviceId: string | null;
    deletedAt: string;
    restorableUntil: string;
    backupBytes: number;
    restore: string;
    tenantId: string;
    runnerIds: string[];
    purging: boolean;
  }[];
}
export interface PostSystemDeletedPurgeReply {
  ok: true;
}
export interface PatchSystemServiceBody {
  protected: boolean;
}
export interface PatchSystemServiceReply {
  service: Service;
}
export interface GetSystemAuditReply {
  entries: {
    id: string;
    tenantId: string | null;
    actor: string;
    route: string;
    resourceId: string | null;
    status: number;
    requestId: string;
    addressHash: string;
    createdAt: string;
  }[];
}
export interface GetSystemFailedSignInsReply {
  failedSignIns: {
    minute: string;
    addressHash: string;
    count: number;
  }[];
}
export interface GetSystemSettingsReply {
  settings: {
    rootDomain: string | null;
    publicIp: string | null;
    readKeysSee: 'plain' | 'all' | 'none';
    defaultAiProviderId: string | null;
    allowPrivateAiProviders: boolean;
    eventWebhook: {
      url: string;
    } | null;
    allowPrivateEventWebhook: boolean;
    backupBucket: {
      endpoint: string;
      region: string;
      bucket: string;
      accessKeyId: string;
      prefix: string;
      pathStyle: boolean;
    } | null;
    allowPrivateBackupBucket: boolean;
    readsPerMinute: number;
    writesPerMinute: number;
    failedSignInsPerMinute: number;
    auditDays: number;
    tenantLimits: {
      containerMemoryMb: number | null;
      containerCpus: number | null;
      containerPids: number | null;
      containerOpenFiles: number | null;
      containerDiskMb: number | null;
      buildMinutesPerDay: number | null;
      buildLogBytesPerDay: number | null;
      logReadersPerKey: number | null;
    };
    keepDeletedHours: number;
    keepDumps: number;
    /**
     * @maxItems 20
     */
    corsOrigins:
      | []
      | [string]
      | [string, string]
      | [string, string, string]
      | [string, string, string, string]
      | [string, string, string, string, string]
      | [string, string, string, string, string, string]
      | [string, string, string, string, string, string, string]
      | [string, string, string, string, string, string, string, string]
      | [string, string, string, string, string, string, string, string, string]
      | [string, string, string, string, string, string, string, string, string, string]
      | [string, string, string, string, string, string, string, string, string, string, string]
      | [string, string, string, string, string, string, string, string, string, string, string, string]
      | [
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
        ]
      | [
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
        ]
      | [
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
        ]
      | [
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
        ]
      | [
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
        ]
      | [
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
        ]
      | [
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
        ]
      | [
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
        ];
  };
}
export interface PatchSystemSettingsBody {
  rootDomain?: string | null;
  publicIp?: string | null;
  readKeysSee?: 'plain' | 'all' | 'none';
  defaultAiProviderId?: string | null;
  allowPrivateAiProviders?: boolean;
  eventWebhook?: {
    url: string;
    secret?: string;
  } | null;
  allowPrivateEventWebhook?: boolean;
  backupBucket?: {
    endpoint: string;
    region: string;
    bucket: string;
    accessKeyId: string;
    prefix?: string;
    pathStyle?: boolean;
    secretAccessKey?: string;
  } | null;
  allowPrivateBackupBucket?: boolean;
  readsPerMinute?: number;
  writesPerMinute?: number;
  failedSignInsPerMinute?: number;
  auditDays?: number;
  tenantLimits?: {
    containerMemoryMb?: number | null;
    containerCpus?: number | null;
    containerPids?: number | null;
    containerOpenFiles?: number | null;
    containerDiskMb?: number | null;
    buildMinutesPerDay?: number | null;
    buildLogBytesPerDay?: number | null;
    logReadersPerKey?: number | null;
  };
  keepDeletedHours?: number;
  keepDumps?: number;
  /**
   * @maxItems 20
   */
  corsOrigins?:
    | []
    | [string]
    | [string, string]
    | [string, string, string]
    | [string, string, string, string]
    | [string, string, string, string, string]
    | [string, string, string, string, string, string]
    | [string, string, string, string, string, string, string]
    | [string, string, string, string, string, string, string, string]
    | [string, string, string, string, string, string, string, string, string]
    | [string, string, string, string, string, string, string, string, string, string]
    | [string, string, string, string, string, string, string, string, string, string, string]
    | [string, string, string, string, string, string, string, string, string, string, string, string]
    | [string, string, string, string, string, string, string, string, string, string, string, string, string]
    | [
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
      ]
    | [
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
      ]
    | [
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
      ]
    | [
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
      ]
    | [
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
      ]
    | [
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
      ]
    | [
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
      ];
  leaveBackupCopies?: boolean;
}
export interface PatchSystemSettingsReply {
  settings: {
    rootDomain: string | null;
    publicIp: string | null;
    readKeysSee: 'plain' | 'all' | 'none';
    defaultAiProviderId: string | null;
    allowPrivateAiProviders: boolean;
    eventWebhook: {
      url: string;
    } | null;
    allowPrivateEventWebhook: boolean;
    backupBucket: {
      endpoint: string;
      region: string;
      bucket: string;
      accessKeyId: string;
      prefix: string;
      pathStyle: boolean;
    } | null;
    allowPrivateBackupBucket: boolean;
    readsPerMinute: number;
    writesPerMinute: number;
    failedSignInsPerMinute: number;
    auditDays: number;
    tenantLimits: {
      containerMemoryMb: number | null;
      containerCpus: number | null;
      containerPids: number | null;
      containerOpenFiles: number | null;
      containerDiskMb: number | null;
      buildMinutesPerDay: number | null;
      buildLogBytesPerDay: number | null;
      logReadersPerKey: number | null;
    };
    keepDeletedHours: number;
    keepDumps: number;
    /**
     * @maxItems 20
     */
    corsOrigins:
      | []
      | [string]
      | [string, string]
      | [string, string, string]
      | [string, string, string, string]
      | [string, string, string, string, string]
      | [string, string, string, string, string, string]
      | [string, string, string, string, string, string, string]
      | [string, string, string, string, string, string, string, string]
      | [string, string, string, string, string, string, string, string, string]
      | [string, string, string, string, string, string, string, string, string, string]
      | [string, string, string, string, string, string, string, string, string, string, string]
      | [string, string, string, string, string, string, string, string, string, string, string, string]
      | [
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
        ]
      | [
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
        ]
      | [
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
        ]
      | [
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
        ]
      | [
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
        ]
      | [
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
        ]
      | [
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
        ]
      | [
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
        ];
  };
  eventWebhookSecret?: string;
}
export interface GetSystemEncryptionReply {
  encryption: {
    key: string;
    previousKey: string | null;
    rowsToReseal: number;
    rowsWithoutKey: number;
  };
}
export interface GetSystemEventsReply {
  events: {
    id: string;
    type:
      | 'backup.failed'
      | 'backup.missed'
      | 'restore.failed'
      | 'import.failed'
      | 'drill.failed'
      | 'upgrade.failed'
      | 'service.stopped'
      | 'service.crashed'
      | 'deployment.failed'
      | 'service.deleted'
      | 'service.restored'
      | 'service.purged'
      | 'project.deleted'
      | 'project.restored'
      | 'project.purged'
      | 'backup.deleted'
      | 'backup.restored'
      | 'backup.purged';
    createdAt: string;
    tenantId: string;
    projectId: string;
    serviceId: string | null;
    resourceId: string;
    trigger: string | null;
    summary: string;
    error: string | null;
    delivery: 'pending' | 'delivered' | 'undelivered';
    attempts: number;
    nextAttemptAt: string | null;
    lastFailure: string | null;
    deliveredAt: string | null;
  }[];
}
export interface PostSystemSettingsEventWebhookTestReply {
  result: {
    ok: boolean;
    status: number | null;
    detail: string;
    durationMs: number;
  };
}
export interface GetSystemDnsProvidersReply {
  providers: {
    id: 'cloudflare' | 'namecheap' | 'spaceship';
    name: string;
    connected: boolean;
    credentials: {
      name: string;
      required: boolean;
      secret: boolean;
      description: string;
    }[];
    createdAt: string | null;
    updatedAt: string | null;
  }[];
}
export interface PostSystemDnsProvidersReply {
  provider: {
    id: 'cloudflare' | 'namecheap' | 'spaceship';
    name: string;
    connected: boolean;
    credentials: {
      name: string;
      required: boolean;
      secret: boolean;
      description: string;
    }[];
    createdAt: string | null;
    updatedAt: string | null;
  };
}
export interface PatchSystemDnsProviderBody {
  credentials: {
    [k: string]: string | null;
  };
  /**
   * false: store the credentials without checking them with the provider.
   */
  verify?: boolean;
}
export interface DeleteSystemDnsProviderReply {
  ok: true;
}
export interface GetSystemDumpsReply {
  dumps: {
    id: string;
    state: 'running' | 'complete' | 'failed';
    parts: number;
    rows: number;
    bytes: number;
    startedAt: string;
    finishedAt: string | null;
  }[];
}
export interface PostSystemDumpsReply {
  dump: {
    id: string;
    state: 'running' | 'complete' | 'failed';
    parts: number;
    rows: number;
    bytes: number;
    startedAt: string;
    finishedAt: string | null;
  };
}
export interface PostSystemRestoredReply {
  restored: {
    services: number;
    deletions: number;
    removals: number;
    jobs: number;
    moreJobs: boolean;
  };
}
export interface GetSystemStraysHostsReply {
  hosts: {
    runnerId: string;
    name: string;
    trouble: string | null;
    strays: {
      services: {
        serviceId: string;
        projectId: string | null;
        reason: 'forgotten' | 'elsewhere' | 'deleted';
        deploymentId: string | null;
        isRunning: boolean;
        hostPort: number;
        hostnames: string[];
        volumes: string[];
        backups: number;
      }[];
      otherVersions: {
        serviceId: string;
        deploymentId: string;
        recordedDeploymentId: string | null;
      }[];
      missing: {
        serviceId: string;
        what: 'container' | 'volume';
      }[];
      backupsWithoutRow: {
        serviceId: string;
        backupId: string;
      }[];
      backupsWithoutFile: {
        serviceId: string;
        backupId: string;
      }[];
    } | null;
  }[];
  next: string | null;
}
export interface GetSystemStraysBucketReply {
  bucket: {
    withoutRow: string[];
    withoutObject: {
      serviceId: string;
      backupId: string;
    }[];
    next: string | null;
  };
}
export interface PostSystemStraysRemoveBody {
  runnerId: string;
  serviceId: string;
  data?: boolean;
}
export interface PostSystemStraysRemoveReply {
  queued: true;
}
