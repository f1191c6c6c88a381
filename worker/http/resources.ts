/**
 * One loader per resource. Loaders for keys are scoped: their statement joins to the project and to the key's scope, so a handler never
 * handles an unchecked id. Authentication runs the statement in the same batch as the key's row (authenticate.ts).
 */
import type { RunnableQuery } from 'drizzle-orm/runnable-query';
import type { KeyLevel } from '../domain/access/key-levels.ts';
import { type ApiKeyRow, selectKeyWithProjects, selectMadeKey } from '../store/access/api-key-store.ts';
import { type BackupRow, selectScopedBackup } from '../store/backups/backup-store.ts';
import { type ImportRow, selectScopedImport } from '../store/backups/import-store.ts';
import { type DeletionRow, selectDeletion, selectScopedDeletion } from '../store/deletions/deletion-store.ts';
import type { JobRow, ShownDeployment } from '../store/deployments/deployment-store.ts';
import { selectScopedUpload, type UploadRow } from '../store/deployments/upload-store.ts';
import { type DnsProviderRow, selectDnsProvider } from '../store/domains/dns-provider-store.ts';
import type { DomainRow } from '../store/domains/domain-store.ts';
import { selectRunner } from '../store/hosts/runner-by-id.ts';
import type { RunnerRow } from '../store/hosts/runner-store.ts';
import { type AiProviderRow, selectAiProvider } from '../store/instance/ai-provider-store.ts';
import type { ProjectRow } from '../store/projects/project-store.ts';
import { selectTenantById, type TenantRow } from '../store/projects/tenant-store.ts';
import type { ServiceRow } from '../store/services/service-store.ts';
import { selectServiceWithProject } from '../store/services/service-view-store.ts';
import type { VariableRow } from '../store/services/variable-store.ts';
import { selectSignedService } from '../store/sources/git-webhook-store.ts';
import type { Database } from '../store/sql/database.ts';
import {
  selectScopedDeployment,
  selectScopedDomain,
  selectScopedProject,
  selectScopedProjectBySlug,
  selectScopedService,
  selectScopedVariable,
} from '../store/sql/scoped-store.ts';

export interface LoadedProject {
  project: ProjectRow;
}
export interface LoadedService extends LoadedProject {
  service: ServiceRow;
}
/** A service that has a webhook. */
export interface SignedService extends LoadedService {
  sealedSecret: string;
  verifiedAt: number | null;
}
export interface LoadedDeployment extends LoadedService {
  deployment: ShownDeployment;
  job: JobRow;
}
export interface LoadedVariable extends LoadedService {
  variable: VariableRow;
}
export interface LoadedBackup extends LoadedService {
  backup: BackupRow;
}
export interface LoadedImport extends LoadedService {
  import: ImportRow;
}
export interface LoadedUpload extends LoadedService {
  upload: UploadRow;
}
export interface LoadedDomain extends LoadedService {
  domain: DomainRow;
}
export interface LoadedDeletion {
  deletion: DeletionRow;
  /** The caller's level in its project, which may be deleted as well; null: none of its own. */
  ownLevel?: KeyLevel | null;
}
export interface LoadedKey {
  key: ApiKeyRow;
  /** Ids of the chosen projects as a JSON array. */
  projectIds: string[];
}

export interface LoadedAiProvider {
  provider: AiProviderRow;
}

/** Values of a path's `:param`s. */
export type PathParameters = Readonly<Record<string, string>>;

export interface ResourceLoader<Resource> {
  /** `service`, `project`, ...: names the resource in a 404. */
  name: string;
  /** `key`: finds only what the key can access. `operator`: finds all; operator routes only. `signed`: finds all; the request is verified by its signature. */
  scope: 'key' | 'operator' | 'signed';
  /**
   * The statement that finds the resource: one row or none.
   * @param tokenId the public part of the caller's token; empty for the operator and signed requests.
   */
  select(db: Database, tokenId: string, params: PathParameters): RunnableQuery<Resource[], 'sqlite'>;
  /** Whose roles count for the resource; null: those of the tenant. Absent: those of the field `project`. */
  projectOf?(resource: Resource): string | null;
  /** The caller's own level in that project, where the loader has to read it. */
  levelOf?(resource: Resource): KeyLevel | null | undefined;
}

/** `:projectId` */
export const projectResource: ResourceLoader<LoadedProject> = {
  name: 'project',
  scope: 'key',
  select: (db, tokenId, params) => selectScopedProject(db, tokenId, parameter(params, 'projectId')),
};

/** `:projectSlug`, a slug or an id. */
export const projectBySlugResource: ResourceLoader<LoadedProject> = {
  name: 'project',
  scope: 'key',
  select: (db, tokenId, params) => selectScopedProjectBySlug(db, tokenId, parameter(params, 'projectSlug')),
};

/** `:serviceId` */
export const serviceResource: ResourceLoader<LoadedService> = {
  name: 'service',
  scope: 'key',
  select: (db, tokenId, params) => selectScopedService(db, tokenId, parameter(params, 'serviceId')),
};

/** `:serviceId` of a service that has a webhook, for requests that are signed with its secret. */
export const signedServiceResource: ResourceLoader<SignedService> = {
  name: 'service',
  scope: 'signed',
  select: (db, _tokenId, params) => selectSignedService(db, parameter(params, 'serviceId')),
};

/** `:deploymentId` */
export const deploymentResource: ResourceLoader<LoadedDeployment> = {
  name: 'deployment',
  scope: 'key',
  select: (db, tokenId, params) => selectScopedDeployment(db, tokenId, parameter(params, 'deploymentId')),
};

/** `:serviceId` and `:envId` */
export const variableResource: ResourceLoader<LoadedVariable> = {
  name: 'variable',
  scope: 'key',
  select: (db, tokenId, params) =>
    selectScopedVariable(db, tokenId, parameter(params, 'serviceId'), parameter(params, 'envId')),
};

/** `:serviceId` and `:backupId` */
export const backupResource: ResourceLoader<LoadedBackup> = {
  name: 'backup',
  scope: 'key',
  select: (db, tokenId, params) =>
    selectScopedBackup(db, tokenId, parameter(params, 'serviceId'), parameter(params, 'backupId')),
};

/** `:serviceId` and `:importId` */
export const importResource: ResourceLoader<LoadedImport> = {
  name: 'import',
  scope: 'key',
  select: (db, tokenId, params) =>
    selectScopedImport(db, tokenId, parameter(params, 'serviceId'), parameter(params, 'importId')),
};

/** `:serviceId` and `:uploadId` */
export const uploadResource: ResourceLoader<LoadedUpload> = {
  name: 'upload',
  scope: 'key',
  select: (db, tokenId, params) =>
    selectScopedUpload(db, tokenId, parameter(params, 'serviceId'), parameter(params, 'uploadId')),
};

/** `:serviceId` and `:domainId` */
export const domainResource: ResourceLoader<LoadedDomain> = {
  name: 'domain',
  scope: 'key',
  select: (db, tokenId, params) =>
    selectScopedDomain(db, tokenId, parameter(params, 'serviceId'), parameter(params, 'domainId')),
};

/** A deleted resource that the key can restore. @param place its ids in the path */
export function deletionResource(
  kind: DeletionRow['kind'],
  place: (params: PathParameters) => { resourceId: string; serviceId?: string },
): ResourceLoader<LoadedDeletion> {
  return {
    name: `deleted ${kind}`,
    scope: 'key',
    select: (db, tokenId, params) => selectScopedDeletion(db, tokenId, { kind, ...place(params) }),
    projectOf: ({ deletion }) => deletion.projectId,
    levelOf: ({ ownLevel }) => ownLevel,
  };
}

/** `:resourceId` of something deleted, for the operator. */
export const deletedResource: ResourceLoader<LoadedDeletion> = {
  name: 'deleted resource',
  scope: 'operator',
  select: (db, _tokenId, params) => selectDeletion(db, parameter(params, 'resourceId')),
};

/** `:serviceId`, for the operator. */
export const operatorServiceResource: ResourceLoader<LoadedService> = {
  name: 'service',
  scope: 'operator',
  select: (db, _tokenId, params) => selectServiceWithProject(db, parameter(params, 'serviceId')),
};

/** `:runnerId`, for the operator. */
export const runnerResource: ResourceLoader<{ runner: RunnerRow }> = {
  name: 'runner',
  scope: 'operator',
  select: (db, _tokenId, params) => selectRunner(db, parameter(params, 'runnerId')),
};

/** `:tenantId`, for the operator. */
export const tenantResource: ResourceLoader<{ tenant: TenantRow }> = {
  name: 'tenant',
  scope: 'operator',
  select: (db, _tokenId, params) => selectTenantById(db, parameter(params, 'tenantId')),
};

/** `:keyId`, for the operator. */
export const keyResource: ResourceLoader<LoadedKey> = {
  name: 'key',
  scope: 'operator',
  select: (db, _tokenId, params) => selectKeyWithProjects(db, parameter(params, 'keyId')),
};

/** `:keyId` of a key that the caller has made. */
export const madeKeyResource: ResourceLoader<LoadedKey> = {
  name: 'key made by this one',
  scope: 'key',
  select: (db, tokenId, params) => selectMadeKey(db, tokenId, parameter(params, 'keyId')),
  projectOf: () => null,
};

/** `:providerId` of a connected DNS provider, for the operator. */
export const dnsProviderResource: ResourceLoader<DnsProviderRow> = {
  name: 'DNS provider',
  scope: 'operator',
  select: (db, _tokenId, params) => selectDnsProvider(db, parameter(params, 'providerId')),
};

/** `:aiProviderId`, for the operator. */
export const aiProviderResource: ResourceLoader<LoadedAiProvider> = {
  name: 'AI provider',
  scope: 'operator',
  select: (db, _tokenId, params) => selectAiProvider(db, parameter(params, 'aiProviderId')),
};

/** @throws Error if the route's path lacks the parameter that its loader reads: a bug in the route list. */
export function parameter(params: PathParameters, name: string): string {
  const value = params[name];
  if (value === undefined) throw new Error(`The path has no :${name}, but its loader needs it.`);
  return value;
}
