import { ApiError } from '../../domain/errors.ts';
import {
  type DetailedDeployment,
  selectDeploymentId,
  selectDetailedDeployment,
  selectNewestDeployments,
} from '../../store/deployments/deployment-store.ts';
import type { Database } from '../../store/sql/database.ts';
import type { Page } from '../../store/sql/keyset.ts';
import type { Statements } from '../../store/sql/read-together.ts';
import { scopedServiceId } from '../../store/sql/scoped-store.ts';
import type { Dependencies } from '../dependencies.ts';

export interface DeploymentPage extends Page {
  /** Instead of a cursor: the id of the last deployment of the previous page. */
  before?: string | undefined;
}

/** Rows of `deploymentPageStatements`. */
export interface DeploymentPageRows {
  page: DetailedDeployment[];
  /** The deployment with the id `before`; absent without `before`. */
  cursor?: { id: string }[];
}

/** A page of a service's deployments, newest first, if the key can access it: for the batch that reads the key. */
export function deploymentPageStatements(
  db: Database,
  { tokenId, serviceId }: { tokenId: string; serviceId: string },
  { before, ...rest }: DeploymentPage,
): Statements<DeploymentPageRows> {
  const service = scopedServiceId(db, tokenId, serviceId);
  const page = selectNewestDeployments(db, service, rest, before);
  return before === undefined ? { page } : { page, cursor: selectDeploymentId(db, service, before) };
}

/** @throws ApiError `invalid_request` if `before` is not a deployment of the service */
export function listDeployments({ page, cursor }: DeploymentPageRows): DetailedDeployment[] {
  if (cursor?.length !== 0) return page;
  throw new ApiError(
    'invalid_request',
    'The query parameter "before" must be the id of a deployment of this service.',
  );
}

/** One deployment in the form for lists. @throws ApiError `not_found` if it has been deleted since */
export async function readDetailed(
  { db }: Pick<Dependencies, 'db'>,
  deploymentId: string,
): Promise<DetailedDeployment> {
  const [deployment] = await selectDetailedDeployment(db, deploymentId);
  if (deployment) return deployment;
  throw new ApiError('not_found', 'This deployment was deleted in the meantime.');
}
