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
  /** Id of the last deployment of the previous page. */
  before?: string | undefined;
}

/** Rows of `deploymentPageStatements`. */
export interface DeploymentPageRows {
  page: ShownDeployment[];
  /** The deployment that `before` names; absent without `before`. */
  cursor?: { id: string }[];
}

/** A page of a service's deployments, newest first, if the key can access it: for the batch that reads the key. */
export function deploymentPageStatements(
  db: Database,
  { tokenId, serviceId }: { tokenId: string; serviceId: string },
  { limit, before }: DeploymentPage,
): Statements<DeploymentPageRows> {
  const service = scopedServiceId(db, tokenId, serviceId);
  const page = selectNewestDeployments(db, service, limit, before);
  return before === undefined ? { page } : { page, cursor: selectDeploymentId(db, service, before) };
}

/** @throws ApiError `invalid_request` if `before` is not a deployment of the service */
export function listDeployments({ page, cursor }: DeploymentPageRows): ShownDeployment[] {
  if (cursor?.length !== 0) return page;
  throw new ApiError(
    'invalid_request',
    'The query parameter "before" must be the id of a deployment of this service.',
  );
}
