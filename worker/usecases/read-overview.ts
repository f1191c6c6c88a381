import { ApiError } from '../domain/errors.ts';
import { settingsOf } from '../domain/settings.ts';
import { type ShownDeployment, selectNewestDeployments } from '../store/deployment-store.ts';
import { type DomainRow, selectDomains } from '../store/domain-store.ts';
import { selectServiceNames } from '../store/service-store.ts';
import { type ServiceView, selectServiceView } from '../store/service-view-store.ts';
import { selectSettings } from '../store/settings-store.ts';
import { selectProjectVariables, type VariableRow } from '../store/variable-store.ts';
import type { Dependencies } from './dependencies.ts';
import { openAndResolve, type SecretsOwner } from './resolve-variables.ts';

/** The full list has a route of its own. */
const deploymentsMax = 100;
/** Where nothing is known: the machine itself. */
const unknownPublicIp = '127.0.0.1';

/** A variable with its value in the clear; both texts are empty where values are masked. */
export interface ShownVariable extends Omit<VariableRow, 'sealedValue'> {
  hasValue: boolean;
  value: string;
  resolvedValue: string;
}

export interface Overview {
  view: ServiceView;
  deployments: ShownDeployment[];
  variables: ShownVariable[];
  domains: DomainRow[];
  publicIp: string;
  /** About references that could not be resolved. */
  warnings: string[];
}

/**
 * Everything about a service, in one round trip.
 * @param access of the key that asks: values may be kept from read keys (setting `maskValuesForReadKeys`).
 */
export async function readOverview(
  deps: Pick<Dependencies, 'db' | 'envelope'>,
  { service, project }: { service: { id: string }; project: SecretsOwner },
  access: 'read' | 'write',
): Promise<Overview> {
  const { db } = deps;
  const [[view], deployments, domains, settingRows, names, projectVariables] = await db.batch([
    selectServiceView(db, service.id),
    selectNewestDeployments(db, service.id, deploymentsMax),
    selectDomains(db, service.id),
    selectSettings(db),
    selectServiceNames(db, project.id),
    selectProjectVariables(db, project.id),
  ]);
  if (!view) throw new ApiError('not_found', 'This service was deleted meanwhile.');
  const settings = settingsOf(settingRows);
  const resolution = await openAndResolve(deps, service.id, project, names, projectVariables);
  const own = projectVariables.filter(({ serviceId }) => serviceId === service.id);
  const isMasked = settings.maskValuesForReadKeys && access === 'read';
  const variables = own.map(({ sealedValue: _, ...row }): ShownVariable => {
    const value = resolution.written.get(row.key) ?? '';
    const resolvedValue = resolution.values.get(row.key) ?? '';
    const shown = isMasked ? { value: '', resolvedValue: '' } : { value, resolvedValue };
    return { ...row, hasValue: value !== '', ...shown };
  });
  const publicIp = settings.publicIp ?? view.facts.publicIp ?? unknownPublicIp;
  return { view, deployments, variables, domains, publicIp, warnings: resolution.warnings };
}
