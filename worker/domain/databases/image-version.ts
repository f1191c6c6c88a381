/** Engine and version, read from the name of a database's image. */
import type { EngineName } from './database-engines.ts';

/** Keys are the last part of the repository's name. */
const engineOfRepository = new Map<string, EngineName>([
  ['postgres', 'postgres'],
  ['postgresql', 'postgres'],
  ['postgis', 'postgres'],
  ['timescaledb', 'timescale'],
  ['timescaledb-ha', 'timescale'],
  ['mysql', 'mysql'],
  ['redis', 'redis'],
  ['mongo', 'mongodb'],
  ['mongodb', 'mongodb'],
  ['clickhouse-server', 'clickhouse'],
]);

export interface ImageVersion {
  /** `null` if the name does not show it. */
  engine: EngineName | null;
  /** `[17]` or `[8, 4]`; `null` if the tag does not show it. */
  version: readonly number[] | null;
}

/** Reads tags such as `17-alpine`, `v8.4`, `latest-pg17` and `pg17.5-ts2.19`; for the last two, the version of PostgreSQL. */
export function imageVersionOf(imageRef: string): ImageVersion {
  const [name = ''] = imageRef.split('@');
  const [, repository = name, tag = ''] = /^(.*):([^/:]+)$/.exec(name) ?? [];
  const [, pg] = /(?:^|-)pg(\d+)/.exec(tag) ?? [];
  const [, plain] = /^v?(\d+(?:\.\d+)*)/.exec(tag) ?? [];
  const digits = pg ?? plain;
  return {
    engine: engineOfRepository.get(repository.split('/').at(-1) ?? '') ?? null,
    version: digits === undefined ? null : digits.split('.').map(Number),
  };
}
