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
    body: PatchProjectsByProjectIdBody;
    reply: PostProjectsReply;
  };
  'DELETE /api/projects/:projectId': {
    reply: DeleteProjectsByProjectIdReply;
  };
  'POST /api/projects/:projectId/services': {
    body: PostProjectsByProjectIdServicesBody;
    reply: PostProjectsByProjectIdServicesReply;
  };
  'GET /api/services/:serviceId/overview': {
    reply: GetServicesByServiceIdOverviewReply;
  };
  'PATCH /api/services/:serviceId': {
    body: PatchServicesByServiceIdBody;
    reply: PatchServicesByServiceIdReply;
  };
  'POST /api/services/:serviceId/transfer': {
    body: PostServicesByServiceIdTransferBody;
    reply: PostServicesByServiceIdTransferReply;
  };
  'DELETE /api/services/:serviceId': {
    reply: DeleteServicesByServiceIdReply;
  };
  'POST /api/services/:serviceId/deploy-key': {
    reply: PostServicesByServiceIdDeployKeyReply;
  };
  'GET /api/services/:serviceId/deploy-key': {
    reply: GetServicesByServiceIdDeployKeyReply;
  };
  'POST /api/services/:serviceId/env': {
    body: PostServicesByServiceIdEnvBody;
    reply: PostServicesByServiceIdEnvReply;
  };
  'DELETE /api/services/:serviceId/env/:envId': {
    reply: DeleteServicesByServiceIdEnvByEnvIdReply;
  };
  'GET /api/projects/:projectId/database-variable-suggestions': {
    reply: GetProjectsByProjectIdDatabaseVariableSuggestionsReply;
  };
  'GET /api/services/:serviceId/suggestion-keys': {
    reply: GetServicesByServiceIdSuggestionKeysReply;
  };
  'POST /api/services/:serviceId/domains': {
    body: PostServicesByServiceIdDomainsBody;
    reply: PostServicesByServiceIdDomainsReply;
  };
  'PATCH /api/services/:serviceId/domains/:domainId': {
    body: PostServicesByServiceIdDomainsBody;
    reply: PostServicesByServiceIdDomainsReply;
  };
  'DELETE /api/services/:serviceId/domains/:domainId': {
    reply: PostServicesByServiceIdDomainsReply;
  };
  'POST /api/services/:serviceId/domains/:domainId/dns-records': {
    body: PostServicesByServiceIdDomainsByDomainIdDnsRecordsBody;
    reply: PostServicesByServiceIdDomainsByDomainIdDnsRecordsReply;
  };
  'POST /api/services/:serviceId/deployments': {
    reply: PostServicesByServiceIdDeploymentsReply;
  };
  'GET /api/services/:serviceId/deployments': {
    query: {
      limit?: number;
      before?: string;
    };
    reply: GetServicesByServiceIdDeploymentsReply;
  };
  'POST /api/deployments/:deploymentId/abort': {
    reply: PostDeploymentsByDeploymentIdAbortReply;
  };
  'POST /api/deployments/:deploymentId/rollback': {
    reply: PostServicesByServiceIdDeploymentsReply;
  };
  'GET /api/deployments/:deploymentId/logs': {
    query: {
      after?: number;
      limit?: number;
    };
    reply: GetDeploymentsByDeploymentIdLogsReply;
  };
  'GET /api/deployments/:deploymentId/stream': {
    stream: 'text/event-stream';
  };
  'POST /api/deployments/:deploymentId/explain-failure': {
    body: PostDeploymentsByDeploymentIdExplainFailureBody;
    reply: PostDeploymentsByDeploymentIdExplainFailureReply;
  };
  'POST /api/services/:serviceId/restart': {
    reply: PostServicesByServiceIdRestartReply;
  };
  'POST /api/services/:serviceId/stop': {
    reply: PostServicesByServiceIdStopReply;
  };
  'POST /api/services/:serviceId/start': {
    reply: PostServicesByServiceIdRestartReply;
  };
  'POST /api/services/:serviceId/run': {
    body: PostServicesByServiceIdRunBody;
    reply: PostServicesByServiceIdRunReply;
  };
  'GET /api/services/:serviceId/runs': {
    reply: GetServicesByServiceIdRunsReply;
  };
  'GET /api/services/:serviceId/runs/:runId': {
    reply: PostServicesByServiceIdRunReply;
  };
  'POST /api/services/:serviceId/runs/:runId/abort': {
    reply: PostServicesByServiceIdRunsByRunIdAbortReply;
  };
  'GET /api/services/:serviceId/runs/:runId/logs': {
    query: {
      after?: number;
      limit?: number;
    };
    reply: GetServicesByServiceIdRunsByRunIdLogsReply;
  };
  'GET /api/services/:serviceId/runs/:runId/stream': {
    stream: 'text/event-stream';
  };
  'POST /api/services/:serviceId/webhook': {
    reply: PostServicesByServiceIdWebhookReply;
  };
  'GET /api/services/:serviceId/webhook': {
    reply: GetServicesByServiceIdWebhookReply;
  };
  'DELETE /api/services/:serviceId/webhook': {
    reply: DeleteServicesByServiceIdWebhookReply;
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
    reply: GetServicesByServiceIdDatabaseTablesReply;
  };
  'GET /api/services/:serviceId/database/rows': {
    query: {
      table: string;
      limit?: number;
      offset?: number;
      database?: number;
    };
    reply: GetServicesByServiceIdDatabaseRowsReply;
  };
  'POST /api/services/:serviceId/database/query': {
    body: PostServicesByServiceIdDatabaseQueryBody;
    reply: PostServicesByServiceIdDatabaseQueryReply;
  };
  'POST /api/services/:serviceId/database/rows': {
    body: PostServicesByServiceIdDatabaseRowsBody;
    reply: PostServicesByServiceIdDatabaseRowsReply;
  };
  'PATCH /api/services/:serviceId/database/rows': {
    body: PatchServicesByServiceIdDatabaseRowsBody;
    reply: PatchServicesByServiceIdDatabaseRowsReply;
  };
  'DELETE /api/services/:serviceId/database/rows': {
    body: DeleteServicesByServiceIdDatabaseRowsBody;
    reply: PatchServicesByServiceIdDatabaseRowsReply;
  };
  'GET /api/services/:serviceId/database/tls': {
    reply: GetServicesByServiceIdDatabaseTlsReply;
  };
  'GET /api/services/:serviceId/database/tls/ca': {
    stream: 'application/x-pem-file';
  };
  'GET /api/services/:serviceId/database/upgrades': {
    reply: GetServicesByServiceIdDatabaseUpgradesReply;
  };
  'POST /api/services/:serviceId/database/upgrade': {
    body: PostServicesByServiceIdDatabaseUpgradeBody;
    reply: PostServicesByServiceIdDatabaseUpgradeReply;
  };
  'POST /api/services/:serviceId/database/upgrade/undo': {
    reply: PostServicesByServiceIdDatabaseUpgradeReply;
  };
  'POST /api/services/:serviceId/database/upgrade/abort': {
    reply: PostServicesByServiceIdDatabaseUpgradeAbortReply;
  };
  'GET /api/services/:serviceId/database/backups': {
    reply: GetServicesByServiceIdDatabaseBackupsReply;
  };
  'POST /api/services/:serviceId/database/backups': {
    body: PostServicesByServiceIdDatabaseBackupsBody;
    reply: PostServicesByServiceIdDatabaseBackupsReply;
  };
  'PATCH /api/services/:serviceId/database/backups/settings': {
    body: PatchServicesByServiceIdDatabaseBackupsSettingsBody;
    reply: PatchServicesByServiceIdDatabaseBackupsSettingsReply;
  };
  'POST /api/services/:serviceId/database/backups/:backupId/restore': {
    body: PostServicesByServiceIdDatabaseBackupsByBackupIdRestoreBody;
    reply: PostServicesByServiceIdDatabaseBackupsByBackupIdRestoreReply;
  };
  'POST /api/services/:serviceId/database/backups/:backupId/restore/abort': {
    reply: PostServicesByServiceIdDatabaseBackupsByBackupIdRestoreAbortReply;
  };
  'GET /api/services/:serviceId/database/backups/:backupId/download': {
    stream: 'application/octet-stream';
  };
  'POST /api/services/:serviceId/database/backups/:backupId/abort': {
    reply: PostServicesByServiceIdDatabaseBackupsByBackupIdAbortReply;
  };
  'POST /api/services/:serviceId/database/backups/:backupId/prove': {
    reply: PostServicesByServiceIdDatabaseBackupsByBackupIdProveReply;
  };
  'POST /api/services/:serviceId/database/backups/:backupId/prove/abort': {
    reply: PostServicesByServiceIdDatabaseBackupsByBackupIdProveAbortReply;
  };
  'DELETE /api/services/:serviceId/database/backups/:backupId': {
    reply: DeleteServicesByServiceIdDatabaseBackupsByBackupIdReply;
  };
  'GET /api/services/:serviceId/database/imports': {
    reply: GetServicesByServiceIdDatabaseImportsReply;
  };
  'POST /api/services/:serviceId/database/import/postgres-url': {
    body: PostServicesByServiceIdDatabaseImportPostgresUrlBody;
    reply: PostServicesByServiceIdDatabaseImportPostgresUrlReply;
  };
  'POST /api/services/:serviceId/database/import/mysql-url': {
    body: PostServicesByServiceIdDatabaseImportMysqlUrlBody;
    reply: PostServicesByServiceIdDatabaseImportMysqlUrlReply;
  };
  'POST /api/services/:serviceId/database/import/redis-url': {
    body: PostServicesByServiceIdDatabaseImportRedisUrlBody;
    reply: PostServicesByServiceIdDatabaseImportRedisUrlReply;
  };
  'POST /api/services/:serviceId/database/import/mongodb-url': {
    body: PostServicesByServiceIdDatabaseImportMongodbUrlBody;
    reply: PostServicesByServiceIdDatabaseImportMongodbUrlReply;
  };
  'POST /api/services/:serviceId/database/import/clickhouse-url': {
    body: PostServicesByServiceIdDatabaseImportClickhouseUrlBody;
    reply: PostServicesByServiceIdDatabaseImportClickhouseUrlReply;
  };
  'POST /api/services/:serviceId/database/imports/:importId/abort': {
    reply: PostServicesByServiceIdDatabaseImportsByImportIdAbortReply;
  };
  'POST /api/services/:serviceId/database/uploads': {
    body: PostServicesByServiceIdDatabaseUploadsBody;
    reply: PostServicesByServiceIdDatabaseUploadsReply;
  };
  'GET /api/services/:serviceId/database/uploads': {
    reply: GetServicesByServiceIdDatabaseUploadsReply;
  };
  'GET /api/services/:serviceId/database/uploads/:uploadId': {
    reply: GetServicesByServiceIdDatabaseUploadsByUploadIdReply;
  };
  'PUT /api/services/:serviceId/database/uploads/:uploadId': {
    query: {
      part: string;
    };
    bytes: true;
    reply: PutServicesByServiceIdDatabaseUploadsByUploadIdReply;
  };
  'DELETE /api/services/:serviceId/database/uploads/:uploadId': {
    reply: PutServicesByServiceIdDatabaseUploadsByUploadIdReply;
  };
  'POST /api/services/:serviceId/database/import/file': {
    body: PostServicesByServiceIdDatabaseImportFileBody;
    reply: PostServicesByServiceIdDatabaseImportFileReply;
  };
  'PUT /api/services/:serviceId/database/import/file': {
    query: {
      replace?: 'true' | 'false';
      continueOnError?: 'true' | 'false';
      checksum?: string;
    };
    bytes: true;
    reply: PutServicesByServiceIdDatabaseImportFileReply;
  };
  'GET /api/deleted': {
    reply: GetDeletedReply;
  };
  'POST /api/services/:serviceId/restore': {
    reply: PostServicesByServiceIdRestoreReply;
  };
  'POST /api/projects/:projectId/restore': {
    reply: PostProjectsByProjectIdRestoreReply;
  };
  'POST /api/services/:serviceId/database/backups/:backupId/undelete': {
    reply: PostServicesByServiceIdDatabaseBackupsByBackupIdUndeleteReply;
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
    reply: DeleteKeysByKeyIdReply;
  };
  'GET /api/system/keys': {
    reply: GetSystemKeysReply;
  };
  'POST /api/system/keys': {
    body: PostSystemKeysBody;
    reply: PostKeysReply;
  };
  'POST /api/system/keys/:keyId/rotate': {
    body: PostSystemKeysByKeyIdRotateBody;
    reply: PostKeysReply;
  };
  'DELETE /api/system/keys/:keyId': {
    reply: DeleteSystemKeysByKeyIdReply;
  };
  'GET /api/system/runners': {
    reply: GetSystemRunnersReply;
  };
  'POST /api/system/runners': {
    body: PostSystemRunnersBody;
    reply: PostSystemRunnersReply;
  };
  'PATCH /api/system/runners/:runnerId': {
    body: PatchSystemRunnersByRunnerIdBody;
    reply: PatchSystemRunnersByRunnerIdReply;
  };
  'DELETE /api/system/runners/:runnerId': {
    reply: DeleteSystemRunnersByRunnerIdReply;
  };
  'GET /api/system/ai-providers': {
    reply: GetSystemAiProvidersReply;
  };
  'POST /api/system/ai-providers': {
    body: PostSystemAiProvidersBody;
    reply: PostSystemAiProvidersReply;
  };
  'PATCH /api/system/ai-providers/:aiProviderId': {
    body: PatchSystemAiProvidersByAiProviderIdBody;
    reply: PostSystemAiProvidersReply;
  };
  'DELETE /api/system/ai-providers/:aiProviderId': {
    reply: DeleteSystemAiProvidersByAiProviderIdReply;
  };
  'POST /api/system/ai-providers/:aiProviderId/test': {
    reply: PostSystemAiProvidersByAiProviderIdTestReply;
  };
  'GET /api/system/tenants': {
    reply: GetSystemTenantsReply;
  };
  'POST /api/system/tenants': {
    body: PostSystemTenantsBody;
    reply: PostSystemTenantsReply;
  };
  'PATCH /api/system/tenants/:tenantId': {
    body: PatchSystemTenantsByTenantIdBody;
    reply: PostSystemTenantsReply;
  };
  'DELETE /api/system/tenants/:tenantId': {
    reply: DeleteSystemTenantsByTenantIdReply;
  };
  'GET /api/system/tenants/:tenantId/data-keys': {
    reply: GetSystemTenantsByTenantIdDataKeysReply;
  };
  'POST /api/system/tenants/:tenantId/data-keys': {
    reply: GetSystemTenantsByTenantIdDataKeysReply;
  };
  'GET /api/system/deleted': {
    reply: GetSystemDeletedReply;
  };
  'POST /api/system/deleted/:resourceId/purge': {
    reply: PostSystemDeletedByResourceIdPurgeReply;
  };
  'PATCH /api/system/services/:serviceId': {
    body: PatchSystemServicesByServiceIdBody;
    reply: PatchSystemServicesByServiceIdReply;
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
    body: PatchSystemDnsProvidersByProviderIdBody;
    reply: PostSystemDnsProvidersReply;
  };
  'DELETE /api/system/dns-providers/:providerId': {
    reply: DeleteSystemDnsProvidersByProviderIdReply;
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
  status: 'idle' | 'queued' | 'building' | 'active' | 'failed' | 'crashed' | 'stopped';
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
  command: string[] | null;
  entrypoint: string[] | null;
  user: string | null;
  shmSizeMb: number | null;
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
export interface PatchProjectsByProjectIdBody {
  name?: string;
  description?: string;
}
export interface DeleteProjectsByProjectIdReply {
  ok: true;
  proxy: {
    ok: boolean;
    detail: string;
  };
}
export interface PostProjectsByProjectIdServicesBody {
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
  command?: [string, ...string[]] | null;
  entrypoint?: [string, ...string[]] | null;
  user?: string | null;
  shmSizeMb?: number | null;
  memoryLimitMb?: number | null;
  cpuLimit?: number | null;
  protected?: boolean;
  env?: PostServicesByServiceIdEnvBody[];
}
export interface PostServicesByServiceIdEnvBody {
  key: string;
  value: string;
  secret?: boolean;
}
export interface PostProjectsByProjectIdServicesReply {
  service: Service;
  warnings?: string[];
}
export interface GetServicesByServiceIdOverviewReply {
  service: Service;
  deployments: Deployment[];
  env: Variable[];
  domains: Domain[];
  publicIp: string;
  warnings: string[];
  pendingVariables: string[];
}
export interface Deployment {
  id: string;
  serviceId: string;
  commitSha: string | null;
  status: 'queued' | 'building' | 'running' | 'superseded' | 'failed' | 'aborted';
  trigger: 'manual' | 'rollback' | 'webhook' | 'restore' | 'restart';
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
export interface PatchServicesByServiceIdBody {
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
  command?: [string, ...string[]] | null;
  entrypoint?: [string, ...string[]] | null;
  user?: string | null;
  shmSizeMb?: number | null;
  memoryLimitMb?: number | null;
  cpuLimit?: number | null;
  protected?: boolean;
}
export interface PatchServicesByServiceIdReply {
  service: Service;
  warnings?: string[];
}
export interface PostServicesByServiceIdTransferBody {
  targetProjectId: string;
}
export interface PostServicesByServiceIdTransferReply {
  service: Service;
  project: Project;
  proxy: {
    ok: boolean;
    detail: string;
  };
}
export interface DeleteServicesByServiceIdReply {
  ok: true;
  proxy: {
    ok: boolean;
    detail: string;
  };
}
export interface PostServicesByServiceIdDeployKeyReply {
  deployKey: {
    publicKey: string;
    fingerprint: string;
  };
}
export interface GetServicesByServiceIdDeployKeyReply {
  deployKey: {
    publicKey: string;
    fingerprint: string;
  } | null;
}
export interface PostServicesByServiceIdEnvReply {
  ok: true;
  warnings?: string[];
}
export interface DeleteServicesByServiceIdEnvByEnvIdReply {
  ok: true;
}
export interface GetProjectsByProjectIdDatabaseVariableSuggestionsReply {
  suggestions: {
    key: string;
    value: string;
    label: string;
  }[];
}
export interface GetServicesByServiceIdSuggestionKeysReply {
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
export interface PostServicesByServiceIdDomainsBody {
  hostname: string;
}
export interface PostServicesByServiceIdDomainsReply {
  ok: true;
  proxy: {
    ok: boolean;
    detail: string;
  };
}
export interface PostServicesByServiceIdDomainsByDomainIdDnsRecordsBody {
  providerId: 'cloudflare' | 'namecheap' | 'spaceship';
}
export interface PostServicesByServiceIdDomainsByDomainIdDnsRecordsReply {
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
export interface PostServicesByServiceIdDeploymentsReply {
  deployment: Deployment;
}
export interface GetServicesByServiceIdDeploymentsReply {
  deployments: Deployment[];
}
export interface PostDeploymentsByDeploymentIdAbortReply {
  accepted: true;
}
export interface GetDeploymentsByDeploymentIdLogsReply {
  logs: LogEntry[];
}
export interface LogEntry {
  id: number;
  deploymentId: string;
  line: string;
  stream: 'stdout' | 'stderr' | 'system';
  createdAt: string;
}
export interface PostDeploymentsByDeploymentIdExplainFailureBody {
  providerId?: string;
  model?: string;
}
export interface PostDeploymentsByDeploymentIdExplainFailureReply {
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
export interface PostServicesByServiceIdRestartReply {
  deployment: Deployment;
  detail: string;
}
export interface PostServicesByServiceIdStopReply {
  service: Service;
  proxy: {
    ok: boolean;
    detail: string;
  };
}
export interface PostServicesByServiceIdRunBody {
  command: string;
  timeLimitSeconds?: number;
}
export interface PostServicesByServiceIdRunReply {
  run: {
    id: string;
    serviceId: string;
    command: string;
    timeLimitSeconds: number;
    status: 'queued' | 'running' | 'succeeded' | 'failed' | 'aborted';
    exitCode: number | null;
    error: string | null;
    createdAt: string;
    startedAt: string | null;
    finishedAt: string | null;
  };
}
export interface GetServicesByServiceIdRunsReply {
  runs: {
    id: string;
    serviceId: string;
    command: string;
    timeLimitSeconds: number;
    status: 'queued' | 'running' | 'succeeded' | 'failed' | 'aborted';
    exitCode: number | null;
    error: string | null;
    createdAt: string;
    startedAt: string | null;
    finishedAt: string | null;
  }[];
}
export interface PostServicesByServiceIdRunsByRunIdAbortReply {
  accepted: true;
}
export interface GetServicesByServiceIdRunsByRunIdLogsReply {
  logs: LogEntry[];
}
export interface PostServicesByServiceIdWebhookReply {
  webhook: {
    url: string;
    secret: string;
    events: string[];
  };
}
export interface GetServicesByServiceIdWebhookReply {
  webhook: {
    url: string;
    createdAt: string;
  } | null;
}
export interface DeleteServicesByServiceIdWebhookReply {
  ok: true;
}
export interface GetServicesByServiceIdDatabaseTablesReply {
  engine: 'postgres' | 'timescale' | 'mysql' | 'redis' | 'mongodb' | 'clickhouse';
  tables: {
    id: string;
    name: string;
    schema: string;
    rowCount: number;
  }[];
  cursor?: string | null;
}
export interface GetServicesByServiceIdDatabaseRowsReply {
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
export interface PostServicesByServiceIdDatabaseQueryBody {
  sql: string;
  database?: number;
}
export interface PostServicesByServiceIdDatabaseQueryReply {
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
export interface PostServicesByServiceIdDatabaseRowsBody {
  table: string;
  values: {
    [k: string]: unknown;
  };
}
export interface PostServicesByServiceIdDatabaseRowsReply {
  ok: true;
  table: string;
  id: string | number | null;
}
export interface PatchServicesByServiceIdDatabaseRowsBody {
  table: string;
  primaryKey: {
    [k: string]: unknown;
  };
  values: {
    [k: string]: unknown;
  };
}
export interface PatchServicesByServiceIdDatabaseRowsReply {
  ok: true;
}
export interface DeleteServicesByServiceIdDatabaseRowsBody {
  table: string;
  primaryKey: {
    [k: string]: unknown;
  };
}
export interface GetServicesByServiceIdDatabaseTlsReply {
  tls: {
    active: boolean;
    caCertAvailable: boolean;
    publicHostname: string;
    publicPort: number;
  };
}
export interface GetServicesByServiceIdDatabaseUpgradesReply {
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
          | 'run'
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
export interface PostServicesByServiceIdDatabaseUpgradeBody {
  imageRef: string;
  dryRun?: boolean;
  acceptNotKept?: boolean;
}
export interface PostServicesByServiceIdDatabaseUpgradeReply {
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
          | 'run'
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
export interface PostServicesByServiceIdDatabaseUpgradeAbortReply {
  accepted: true;
}
export interface GetServicesByServiceIdDatabaseBackupsReply {
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
export interface PostServicesByServiceIdDatabaseBackupsBody {
  storage: 'disk' | 'remote' | 'disk+remote';
}
export interface PostServicesByServiceIdDatabaseBackupsReply {
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
export interface PatchServicesByServiceIdDatabaseBackupsSettingsBody {
  storage?: 'disk' | 'remote' | 'disk+remote';
  automaticEnabled?: boolean;
  dailyEnabled?: boolean;
  weeklyEnabled?: boolean;
  monthlyEnabled?: boolean;
  drill?: 'weekly' | 'off';
}
export interface PatchServicesByServiceIdDatabaseBackupsSettingsReply {
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
export interface PostServicesByServiceIdDatabaseBackupsByBackupIdRestoreBody {
  targetServiceId?: string;
}
export interface PostServicesByServiceIdDatabaseBackupsByBackupIdRestoreReply {
  ok: true;
  restoredAt: string;
  backup: {
    id: string;
    status: string;
  };
}
export interface PostServicesByServiceIdDatabaseBackupsByBackupIdRestoreAbortReply {
  accepted: true;
}
export interface PostServicesByServiceIdDatabaseBackupsByBackupIdAbortReply {
  accepted: true;
}
export interface PostServicesByServiceIdDatabaseBackupsByBackupIdProveReply {
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
export interface PostServicesByServiceIdDatabaseBackupsByBackupIdProveAbortReply {
  accepted: true;
}
export interface DeleteServicesByServiceIdDatabaseBackupsByBackupIdReply {
  ok: true;
}
export interface GetServicesByServiceIdDatabaseImportsReply {
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
    continueOnError: boolean;
    skipped: string[];
    createdAt: string;
    startedAt: string;
    finishedAt: string | null;
  }[];
}
export interface PostServicesByServiceIdDatabaseImportPostgresUrlBody {
  sourceUrl: string;
  replace?: boolean;
}
export interface PostServicesByServiceIdDatabaseImportPostgresUrlReply {
  result: {
    id: string;
    status: 'running' | 'succeeded' | 'failed';
    source: 'postgres-url' | 'mysql-url' | 'redis-url' | 'mongodb-url' | 'clickhouse-url' | 'file';
    createdAt: string;
  };
}
export interface PostServicesByServiceIdDatabaseImportMysqlUrlBody {
  sourceUrl: string;
  replace?: boolean;
}
export interface PostServicesByServiceIdDatabaseImportMysqlUrlReply {
  result: {
    id: string;
    status: 'running' | 'succeeded' | 'failed';
    source: 'postgres-url' | 'mysql-url' | 'redis-url' | 'mongodb-url' | 'clickhouse-url' | 'file';
    createdAt: string;
  };
}
export interface PostServicesByServiceIdDatabaseImportRedisUrlBody {
  sourceUrl: string;
  replace?: boolean;
}
export interface PostServicesByServiceIdDatabaseImportRedisUrlReply {
  result: {
    id: string;
    status: 'running' | 'succeeded' | 'failed';
    source: 'postgres-url' | 'mysql-url' | 'redis-url' | 'mongodb-url' | 'clickhouse-url' | 'file';
    createdAt: string;
  };
}
export interface PostServicesByServiceIdDatabaseImportMongodbUrlBody {
  sourceUrl: string;
  replace?: boolean;
}
export interface PostServicesByServiceIdDatabaseImportMongodbUrlReply {
  result: {
    id: string;
    status: 'running' | 'succeeded' | 'failed';
    source: 'postgres-url' | 'mysql-url' | 'redis-url' | 'mongodb-url' | 'clickhouse-url' | 'file';
    createdAt: string;
  };
}
export interface PostServicesByServiceIdDatabaseImportClickhouseUrlBody {
  sourceUrl: string;
  replace?: boolean;
}
export interface PostServicesByServiceIdDatabaseImportClickhouseUrlReply {
  result: {
    id: string;
    status: 'running' | 'succeeded' | 'failed';
    source: 'postgres-url' | 'mysql-url' | 'redis-url' | 'mongodb-url' | 'clickhouse-url' | 'file';
    createdAt: string;
  };
}
export interface PostServicesByServiceIdDatabaseImportsByImportIdAbortReply {
  accepted: true;
}
export interface PostServicesByServiceIdDatabaseUploadsBody {
  sizeBytes: number;
  checksum?: string;
}
export interface PostServicesByServiceIdDatabaseUploadsReply {
  upload: {
    id: string;
    sizeBytes: number;
    partBytes: number;
    parts: number;
    expiresAt: string;
  };
}
export interface GetServicesByServiceIdDatabaseUploadsReply {
  uploads: {
    id: string;
    sizeBytes: number;
    partBytes: number;
    parts: number;
    expiresAt: string;
  }[];
}
export interface GetServicesByServiceIdDatabaseUploadsByUploadIdReply {
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
export interface PutServicesByServiceIdDatabaseUploadsByUploadIdReply {
  ok: true;
}
export interface PostServicesByServiceIdDatabaseImportFileBody {
  uploadId: string;
  replace?: boolean;
  continueOnError?: boolean;
}
export interface PostServicesByServiceIdDatabaseImportFileReply {
  result: {
    id: string;
    status: 'running' | 'succeeded' | 'failed';
    source: 'postgres-url' | 'mysql-url' | 'redis-url' | 'mongodb-url' | 'clickhouse-url' | 'file';
    createdAt: string;
  };
}
export interface PutServicesByServiceIdDatabaseImportFileReply {
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
export interface PostServicesByServiceIdRestoreReply {
  service: Service;
  changes: {
    serviceId: string | null;
    field: 'slug' | 'hostPort' | 'generatedHostname' | 'databasePublicHostname' | 'domain';
    before: string;
    after: string | null;
  }[];
}
export interface PostProjectsByProjectIdRestoreReply {
  project: Project;
  changes: {
    serviceId: string | null;
    field: 'slug' | 'hostPort' | 'generatedHostname' | 'databasePublicHostname' | 'domain';
    before: string;
    after: string | null;
  }[];
}
export interface PostServicesByServiceIdDatabaseBackupsByBackupIdUndeleteReply {
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
export interface DeleteKeysByKeyIdReply {
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
export interface PostSystemKeysByKeyIdRotateBody {
  immediately?: boolean;
}
export interface DeleteSystemKeysByKeyIdReply {
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
export interface PatchSystemRunnersByRunnerIdBody {
  name?: string;
  drained?: boolean;
  tenantId?: string;
  shared?: boolean;
  trustedRunc?: string | null;
}
export interface PatchSystemRunnersByRunnerIdReply {
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
export interface DeleteSystemRunnersByRunnerIdReply {
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
export interface PatchSystemAiProvidersByAiProviderIdBody {
  baseUrl?: string;
  apiKey?: string | null;
  defaultModel?: string;
  enabled?: boolean;
}
export interface DeleteSystemAiProvidersByAiProviderIdReply {
  ok: true;
}
export interface PostSystemAiProvidersByAiProviderIdTestReply {
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
export interface PatchSystemTenantsByTenantIdBody {
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
export interface DeleteSystemTenantsByTenantIdReply {
  ok: true;
}
export interface GetSystemTenantsByTenantIdDataKeysReply {
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
export interface PostSystemDeletedByResourceIdPurgeReply {
  ok: true;
}
export interface PatchSystemServicesByServiceIdBody {
  protected: boolean;
}
export interface PatchSystemServicesByServiceIdReply {
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
    rootDomain: unknown;
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
    logDays: number;
    retention: {
      deploymentDays: number;
      deploymentsPerService: number;
      jobDays: number;
      eventDays: number;
    };
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
  logDays?: number;
  retention?: {
    deploymentDays?: number;
    deploymentsPerService?: number;
    jobDays?: number;
    eventDays?: number;
  };
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
    rootDomain: unknown;
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
    logDays: number;
    retention: {
      deploymentDays: number;
      deploymentsPerService: number;
      jobDays: number;
      eventDays: number;
    };
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
      | 'run.failed'
      | 'service.stopped'
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
export interface PatchSystemDnsProvidersByProviderIdBody {
  credentials: {
    [k: string]: string | null;
  };
  /**
   * false: store the credentials without checking them with the provider.
   */
  verify?: boolean;
}
export interface DeleteSystemDnsProvidersByProviderIdReply {
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
