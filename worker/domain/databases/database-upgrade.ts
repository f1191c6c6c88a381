/** The images to which a database can be upgraded, and how long an upgrade can be undone. */

import { ApiError } from '../errors.ts';
import { databaseEngines, databaseImageOf, type EngineName } from './database-engines.ts';
import { imageVersionOf } from './image-version.ts';

/** A host keeps the previous version an hour longer: runner/jobs/data/old-data.ts. */
export const wayBackMs = 24 * 3_600_000;

interface DatabaseImages {
  imageRef: string | null;
  defaultImageRef: string | null;
}

/**
 * @returns the present image
 * @throws ApiError `invalid_request` for an image of another engine, one without a version in its tag, and one without a later major version
 */
export function assertUpgradeTo(service: DatabaseImages, engine: EngineName, imageRef: string): string {
  const before = databaseImageOf(service, engine);
  const [from, to] = [imageVersionOf(before), imageVersionOf(imageRef)];
  const { title, image } = databaseEngines[engine];
  if (to.engine !== null && to.engine !== engine)
    throw refusal(`is an image of ${databaseEngines[to.engine].title}, but this database runs ${title}`);
  if (to.version === null)
    throw refusal(
      `must name its version as the tag, such as "${image}", so that an upgrade can be distinguished from a downgrade`,
    );
  if (from.version === null) return before;
  const step = compare(engine, from.version, to.version);
  if (step < 0)
    throw refusal(
      `names an earlier version than "${before}", which this database runs: create a new database with this image, and import into it`,
    );
  if (step === 0)
    throw refusal(
      `has the same major version as "${before}": set it with PATCH /api/services/:serviceId and deploy the service`,
    );
  return before;
}

/** ClickHouse numbers its releases by year and month; all other engines have one number for a major version. */
function compare(engine: EngineName, from: readonly number[], to: readonly number[]): number {
  const parts = engine === 'clickhouse' ? 2 : 1;
  for (let at = 0; at < parts; at++) {
    const difference = (to[at] ?? 0) - (from[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

const refusal = (why: string) => new ApiError('invalid_request', `The field "imageRef" ${why}.`);
