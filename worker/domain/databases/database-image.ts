/** The images that can run on a database's existing data. */

import { ApiError } from '../errors.ts';
import { databaseEngines, databaseImageOf, engineOf } from './database-engines.ts';

interface DatabaseService {
  repoFullName: string | null;
  imageRef: string | null;
  defaultImageRef: string | null;
  /** `null` if there is no data yet. */
  lastDeployedAt: number | null;
}

/**
 * PostgreSQL reads only data of its own major version: https://www.postgresql.org/docs/17/upgrading.html. With other engines, and with tags
 * without a version, the deployment is the test; the old container continues if the new one does not start.
 * @param imageRef null: the default image
 * @throws ApiError `conflict` with instructions for another major version
 */
export function assertImageFitsData(service: DatabaseService, imageRef: string | null): void {
  const engine = engineOf(service);
  if (!engine || service.lastDeployedAt === null) return;
  if (engine !== 'postgres' && engine !== 'timescale') return;
  const before = databaseImageOf(service, engine);
  const after = databaseImageOf({ ...service, imageRef }, engine);
  const [from, to] = [postgresMajorOf(before), postgresMajorOf(after)];
  if (from === undefined || to === undefined || from === to) return;
  throw new ApiError(
    'conflict',
    `The field "imageRef" can't be changed from "${before}" to "${after}": PostgreSQL ${to} can't read the data of PostgreSQL ${from}. ` +
      (to > from
        ? 'POST /api/services/:serviceId/database/upgrade with this "imageRef" moves the data.'
        : `Create a new ${databaseEngines[engine].title} database with this image, and import into it.`),
  );
}

/** The major version in the tag of a known image, such as `17-alpine`, `latest-pg17` or `pg17.5-ts2.19`. */
function postgresMajorOf(imageRef: string): number | undefined {
  const [name = ''] = imageRef.split('@');
  const [, repository = '', tag = ''] = /^(.*):([^/:]+)$/.exec(name) ?? [];
  const isNumbered = /(^|\/)(postgres|postgresql|postgis)$/.test(repository);
  const [, major] = /(?:^|-)pg(\d+)/.exec(tag) ?? (isNumbered ? /^(\d+)/.exec(tag) : null) ?? [];
  return major === undefined ? undefined : Number(major);
}
