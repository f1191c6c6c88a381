import { expect, test } from 'vitest';
import { nextVersion } from '../../dashboard/pages/service/database/upgrades/next-version.ts';

test.each([
  ['postgres', 'postgres:17', 'postgres:18'],
  [
    'postgres',
    'registry.example.com:5000/postgres:17.5-alpine',
    'registry.example.com:5000/postgres:18-alpine',
  ],
  ['mysql', 'mysql:8.4', 'mysql:9'],
  ['timescale', 'timescale/timescaledb:2.19.3-pg16', 'timescale/timescaledb:2.19.3-pg17'],
  ['mongodb', 'mongo:latest', undefined],
  ['redis', 'redis:8@sha256:0123', undefined],
  // Numbered by year and month.
  ['clickhouse', 'clickhouse/clickhouse-server:25.8', undefined],
])('the next version of %s %s is %s', (engine, image, next) => {
  expect(nextVersion(engine, image)).toBe(next);
});
