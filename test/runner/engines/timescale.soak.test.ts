import { expect, test } from 'vitest';
import { timescale } from '../../../runner/engines/postgres.ts';
import { useEngine } from '../../support/docker/use-engine.ts';
import { engineContract } from './engine-contract.ts';
import { asked, env, postgresFixture } from './postgres-fixture.ts';

const image = 'timescale/timescaledb:latest-pg17';

/** Readings of an hour each, in chunks of a day; analysed, so that there is an estimate. */
const schema = `
  CREATE EXTENSION IF NOT EXISTS timescaledb;
  CREATE TABLE readings (at timestamptz NOT NULL, device int, celsius float8);
  SELECT create_hypertable('readings', 'at', chunk_time_interval => interval '1 day');
  INSERT INTO readings SELECT timestamptz '2026-01-01' + n * interval '1 hour', n % 3, n FROM generate_series(0, 99) n;
  CREATE TABLE keyed (at timestamptz NOT NULL, device int, PRIMARY KEY (device, at));
  SELECT create_hypertable('keyed', 'at', chunk_time_interval => interval '1 day');
  INSERT INTO keyed SELECT timestamptz '2026-01-01' + n * interval '6 hours', n % 2 FROM generate_series(0, 9) n;
  CREATE TABLE many (at timestamptz NOT NULL);
  SELECT create_hypertable('many', 'at', chunk_time_interval => interval '1 day');
  INSERT INTO many SELECT timestamptz '2026-01-01' + n * interval '1 second' FROM generate_series(0, 199999) n;
  ANALYZE;
`;

engineContract(postgresFixture(timescale, image));

const used = useEngine({
  engine: timescale,
  image,
  env,
  fill: (address) => asked(address, async (client) => void (await client.query(schema))),
});
const { rows, insert } = used;

test('TimescaleDB lists a hypertable once, with the rows of all its chunks, and none of its internal tables', async () => {
  expect(await used.counts()).toEqual({
    'public.keyed': 10,
    'public.many': 200_000,
    'public.readings': 100,
  });
});

test('TimescaleDB pages through a hypertable over all its chunks, by its key and without one', async () => {
  const first = await rows('public.keyed', 4);
  const rest = await rows('public.keyed', 500, 4);
  const keys = [...first.rows, ...rest.rows].map(({ device, at }) => `${device} ${at}`);
  expect(keys).toHaveLength(10);
  expect(keys).toEqual([...keys].sort());
  const readings = [
    ...(await rows('public.readings', 60)).rows,
    ...(await rows('public.readings', 60, 60)).rows,
  ];
  expect(new Set(readings.map(({ celsius }) => celsius)).size).toBe(100);
});

test('TimescaleDB changes a row of a hypertable by its key', async () => {
  const primaryKey = { device: 0, at: '2026-01-01T00:00:00Z' };
  await used.session.update({ action: 'update', table: 'public.keyed', primaryKey, values: { device: 7 } });
  await used.session.delete({
    action: 'delete',
    table: 'public.keyed',
    primaryKey: { ...primaryKey, device: 7 },
  });
  const id = await insert('public.keyed', primaryKey);
  expect(id).toEqual({ id: '{"device":0,"at":"2026-01-01T00:00:00Z"}' });
  expect((await rows('public.keyed')).total).toBe(10);
});
