import type { KeyLevel } from '../../domain/access/key-levels.ts';
import { platformVariableWarnings } from '../../domain/deployments/platform-variables.ts';
import { ApiError } from '../../domain/errors.ts';
import { publicIpOf, type Settings, seesOf, settingsOf } from '../../domain/instance/settings.ts';
import { projectServicesOf } from '../../domain/projects/project-services.ts';
import { mountedFiles } from '../../domain/services/mounted-files.ts';
import { awayWarning, isExplainable, troubleWarning } from '../../domain/services/service-trouble.ts';
import { unusedCommandWarnings } from '../../domain/services/unused-commands.ts';
import { percentEncoded, type ValuePart } from '../../domain/values/value-parts.ts';
import type { NamedService } from '../../domain/variables/environment-references.ts';
import { isSecretByRule } from '../../domain/variables/secret-variables.ts';
import type { DetailedDeployment } from '../../store/deployments/deployment-store.ts';
import {
  selectKeptSettings,
  selectScopedDomains,
  selectScopedFiles,
  selectScopedLiveVersion,
  selectScopedNameOwner,
  selectScopedNewestDeployments,
  selectScopedView,
  selectScopedVolumes,
  selectServicesBeside,
  selectVariablesBeside,
} from '../../store/deployments/overview-store.ts';
import type { DomainRow } from '../../store/domains/domain-store.ts';
import type { SettingRow } from '../../store/instance/settings-store.ts';
import type { ProjectServiceRow } from '../../store/services/project-service-store.ts';
import type { ServiceView } from '../../store/services/service-view-store.ts';
import type { VariableRow } from '../../store/services/variable-store.ts';
import type { VolumeRow } from '../../store/services/volume-store.ts';
import { type AwaitedPush, selectScopedAwaitedPush } from '../../store/sources/awaited-push-store.ts';
import type { Database } from '../../store/sql/database.ts';
import type { Statements } from '../../store/sql/read-together.ts';
import type { Dependencies } from '../dependencies.ts';
import { openFiles } from './mounted-files.ts';
import { type LiveVersion, type Pending, pendingOf } from './pending-changes.ts';
import { byScope, type OpenedVariables, openAndResolve, type SecretsOwner } from './resolve-variables.ts';

/** A decrypted variable. Texts that the caller may not see are empty. */
export interface ShownVariable extends Omit<VariableRow, 'sealedValue' | 'secret'> {
  hasValue: boolean;
  /** Secret by choice or by the rule. */
  secret: boolean;
  value: string;
  resolvedValue: string;
}

export interface Overview extends Pending {
  view: ServiceView;
  deployments: DetailedDeployment[];
  /** The push that waits for the checks of its commit, or that they keep from being deployed. */
  awaitedPush: AwaitedPush | undefined;
  variables: ShownVariable[];
  derived: DerivedValue[];
  domains: DomainRow[];
  volumes: VolumeRow[];
  /** The tenant's token (domain/name-verification). */
  nameToken: string;
  publicIp: string;
  /**
   * Warnings about a disconnected host, a live version that does not work properly, unresolved references, values that can't be decrypted,
   * and platform variables that the service sets itself.
   */
  warnings: string[];
  /** Whether the live version has a problem with more details than the warning contains. */
  hasTrouble: boolean;
}

/** Rows of `overviewStatements`. */
export interface OverviewRows {
  views: ServiceView[];
  deployments: DetailedDeployment[];
  domains: DomainRow[];
  volumes: VolumeRow[];
  files: { serviceId: string; sealedFiles: string }[];
  owners: { token: string }[];
  settings: SettingRow[];
  live: LiveVersion[];
  serviceRows: ProjectServiceRow[];
  variables: VariableRow[];
  awaited: AwaitedPush[];
}

/** Statements for the overview of a service that the key can access, for the batch that reads the key. */
export const overviewStatements = (
  db: Database,
  tokenId: string,
  serviceId: string,
): Statements<OverviewRows> => ({
  views: selectScopedView(db, tokenId, serviceId),
  deployments: selectScopedNewestDeployments(db, tokenId, serviceId),
  domains: selectScopedDomains(db, tokenId, serviceId),
  volumes: selectScopedVolumes(db, tokenId, serviceId),
  files: selectScopedFiles(db, tokenId, serviceId),
  owners: selectScopedNameOwner(db, tokenId, serviceId),
  settings: selectKeptSettings(db),
  live: selectScopedLiveVersion(db, tokenId, serviceId),
  serviceRows: selectServicesBeside(db, tokenId, serviceId),
  variables: selectVariablesBeside(db, tokenId, serviceId),
  awaited: selectScopedAwaitedPush(db, tokenId, serviceId),
});

/**
 * Builds the overview from the rows.
 * @param access level of the calling key: values may be hidden from keys without write access (setting `readKeysSee`)
 */
export async function makeOverview(
  deps: Pick<Dependencies, 'envelope'>,
  { service, project }: { service: { id: string }; project: SecretsOwner },
  rows: OverviewRows,
  access: KeyLevel,
): Promise<Overview> {
  const { deployments, domains, volumes, serviceRows, variables: projectVariables } = rows;
  const [view] = rows.views;
  if (!view) throw new ApiError('not_found', 'This service was deleted in the meantime.');
  const settings = settingsOf(rows.settings);
  const services = projectServicesOf(serviceRows, settings);
  const resolution = await openAndResolve(deps, service.id, project, services, projectVariables);
  const own = projectVariables.filter(({ serviceId }) => serviceId === service.id);
  const sees = seesOf(settings, access);
  const variables = own.map((row) => shownVariable(row, resolution, sees));
  const derived = derivedValues(services.find(({ id }) => id === service.id) ?? {}, resolution, sees);
  const publicIp = publicIpOf(settings, view.facts.publicIp);
  const unreadable = own.filter(({ key }) => resolution.written.get(key) === null);
  const { trouble } = view.service;
  const warnings = [
    ...(view.isConnected || view.service.lastDeployedAt === null ? [] : [awayWarning]),
    ...(trouble ? [troubleWarning(trouble)] : []),
    ...unreadable.map(({ key }) => `${key}: the stored value can't be decrypted. Set it again.`),
    ...resolution.warnings,
    ...platformVariableWarnings(view.service, resolution.values),
    ...unusedCommandWarnings(view.service),
  ];
  const nameToken = rows.owners[0]?.token ?? '';
  const files = mountedFiles(await openFiles(deps, project, rows.files[0]));
  const current = { variables: byScope(own, resolution.values), files, service: view.service, volumes };
  const pending = await pendingOf(deps, project, rows.live[0], current);
  return {
    view,
    deployments,
    awaitedPush: rows.awaited[0],
    variables,
    derived,
    domains,
    volumes,
    nameToken,
    publicIp,
    warnings,
    hasTrouble: trouble !== null && isExplainable(trouble),
    ...pending,
  };
}

/** @param sees decides which values the caller may see */
function shownVariable(
  { sealedValue: _, secret: chosen, ...row }: VariableRow,
  { written, values, secretKeys }: OpenedVariables,
  sees: Settings['readKeysSee'],
): ShownVariable {
  const text = written.get(row.key);
  const value = text ?? '';
  const secret = chosen ?? isSecretByRule(row.key, value);
  const shows = (isSecret: boolean) => sees === 'all' || (sees === 'plain' && !isSecret);
  return {
    ...row,
    hasValue: text !== '',
    secret,
    value: shows(secret) ? value : '',
    resolvedValue: shows(secret || secretKeys.has(row.key)) ? (values.get(row.key) ?? '') : '',
  };
}

interface DerivedValue {
  key: string;
  /** Empty if the caller may not see it. */
  value: string;
  secret: boolean;
}

/**
 * The values of variables that exist only for references: URLs of a database, addresses of a service.
 * @param sees decides which values the caller may see
 */
function derivedValues(
  { derived }: Pick<NamedService, 'derived'>,
  { values, secretKeys }: Pick<OpenedVariables, 'values' | 'secretKeys'>,
  sees: Settings['readKeysSee'],
): DerivedValue[] {
  const textOf = (part: ValuePart) => {
    if (part.type === 'text') return part.text;
    const value = values.get(part.key);
    if (value === undefined) return part.text;
    return part.encoded ? percentEncoded(value) : value;
  };
  return [...(derived ?? [])].map(([key, parts]) => {
    const value = parts.map(textOf).join('');
    const names = parts.flatMap((part) => (part.type === 'reference' ? [part.key] : []));
    const secret = names.some((name) => secretKeys.has(name)) || isSecretByRule(key, value);
    const isShown = sees === 'all' || (sees === 'plain' && !secret);
    return { key, value: isShown ? value : '', secret };
  });
}
