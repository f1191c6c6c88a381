import { ApiError } from '../../domain/errors.ts';
import type { Database } from '../../store/database.ts';
import {
  type ShownDeployment,
  selectDeploymentId,
  selectNewestDeployments,
} from '../../store/deployment-store.ts';
import type { Statements } from '../../store/read-together.ts';
import { scopedServiceId } from '../../store/scoped-store.ts';

export interface DeploymentPage {
  limit: number;
  /** The last deployment of the page before. */
  before?: string | undefined;
}

/** Rows of `deploymentPageStatements`. */
export interface DeploymentPageRows {
  page: ShownDeployment[];
  /** The deployment that `before` names; left out without one. */
  cursor?: { id: string }[];
}

/** A page of the deployments of a service that the key sees, newest first: for the batch that finds the key. */
export function deploymentPageStatements(
  db: Database,
  { tokenId, serviceId }: { tokenId: string; serviceId: string },
  { limit, before }: DeploymentPage,
): Statements<DeploymentPageRows> {
  const service = scopedServiceId(db, tokenId, serviceId);
  const page = selectNewestDeployments(db, service, limit, before);
  return before === undefined ? { page } : { page, cursor: selectDeploymentId(db, service, before) };
}

/** @throws ApiError `invalid_request` when `before` is no deployment of the service. */
export function listDeployments({ page, cursor }: DeploymentPageRows): ShownDeployment[] {
  if (cursor?.length !== 0) return page;
  throw new ApiError(
    'invalid_request',
    'The query parameter "before" must be the id of a deployment of this service.',
  );
}
