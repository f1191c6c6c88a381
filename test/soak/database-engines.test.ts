/** The engines that `npm test` has no time for, by the real server: data and passwords over a redeployment. */

import { text } from 'node:stream/consumers';
import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { createConnection } from 'mysql2/promise';
import { expect, test } from 'vitest';
import type { DeploySpec } from '../../protocol/job-spec.ts';
import { ensureTestImage } from '../stand-ins/ensure-test-image.ts';

import { testId } from '../support/docker/docker-host.ts';
import { useDeployFixture } from '../support/docker/use-scenes.ts';
import { freePorts } from '../support/free-ports.ts';
import { postgresValue } from '../support/postgres-client.ts';

interface Case {
  engine: 'timescale' | 'mysql' | 'clickhouse';
  image: string;
  env: Record<string, string>;
  changed: Record<string, string>;
  /** Runs statements through the published port, and returns the first value of the last one. */
  run(port: number, env: Record<string, string>, ...statements: string[]): Promise<unknown>;
  writes: string[];
  reads: string;
}

const odd = 'pä"s\'s\\ 1';

const cases: Case[] = [
  {
    engine: 'timescale',
    image: 'timescale/timescaledb:latest-pg17',
    env: { POSTGRES_DB: 'app', POSTGRES_USER: 'app', POSTGRES_PASSWORD: odd },
    changed: { POSTGRES_PASSWORD: 'another' },
    writes: [
      'CREATE TABLE kept (at timestamptz NOT NULL, answer int)',
      "SELECT create_hypertable('kept', 'at')",
      'INSERT INTO kept VALUES (now(), 42)',
    ],
    reads: 'SELECT answer FROM kept',
    run: (port, env, ...statements) => postgresValue({ port }, env, ...statements),
  },
  {
    engine: 'mysql',
    image: 'mysql:9',
    env: { MYSQL_DATABASE: 'we_ird `db', MYSQL_USER: "a'pp", MYSQL_PASSWORD: odd, MYSQL_ROOT_PASSWORD: odd },
    changed: { MYSQL_PASSWORD: "an'other\\", MYSQL_ROOT_PASSWORD: 'third' },
    writes: ['CREATE TABLE kept (answer int PRIMARY KEY)', 'INSERT INTO kept VALUES (42)'],
    reads: 'SELECT answer FROM kept',
    async run(port, env, ...statements) {
      const connection = await createConnection({
        host: '127.0.0.1',
        port,
        user: env.MYSQL_USER ?? '',
        password: env.MYSQL_PASSWORD ?? '',
        database: env.MYSQL_DATABASE ?? '',
        rowsAsArray: true,
      });
      try {
        let last: unknown;
        for (const sql of statements) {
          const [rows] = await connection.query(sql);
          last = Array.isArray(rows) ? [rows[0]].flat()[0] : undefined;
        }
        return last;
      } finally {
        await connection.end();
      }
    },
  },
  {
    engine: 'clickhouse',
    image: 'clickhouse/clickhouse-server:26.7',
    env: { CLICKHOUSE_DB: 'app', CLICKHOUSE_USER: 'app', CLICKHOUSE_PASSWORD: odd },
    changed: { CLICKHOUSE_PASSWORD: "an'other <&]]>\\" },
    writes: [
      'CREATE TABLE kept (answer Int8) ENGINE = MergeTree ORDER BY answer',
      'INSERT INTO kept VALUES (42)',
    ],
    reads: 'SELECT answer FROM kept',
    async run(port, env, ...statements) {
      const client = createClient({
        url: `http://127.0.0.1:${port}`,
        username: env.CLICKHOUSE_USER ?? '',
        password: env.CLICKHOUSE_PASSWORD ?? '',
        database: env.CLICKHOUSE_DB ?? '',
        log: { level: ClickHouseLogLevel.OFF },
      });
      try {
        for (const query of statements.slice(0, -1)) await client.command({ query });
        const last = await client.exec({ query: statements.at(-1) ?? '' });
        return Number(await text(last.stream));
      } finally {
        await client.close();
      }
    },
  },
];

const fixture = useDeployFixture();

async function deployed(spec: DeploySpec, env: Record<string, string>): Promise<void> {
  const { result, context } = await fixture.deploy(spec, { secrets: { env } });
  expect(result.outcome, `${JSON.stringify(result)}\n${context.text()}`).toBe('succeeded');
  await fixture.retireNow();
}

test.each(cases)('$engine keeps its data, takes a new password and refuses the old one', async (one) => {
  await ensureTestImage(one.image);
  const [hostPort = 0] = await freePorts(1);
  const spec = fixture.spec({
    serviceId: testId('service'),
    hostPort,
    source: {
      type: 'database',
      engine: one.engine,
      imageRef: one.image,
      publicAddress: '127.0.0.1',
      logicalReplication: false,
    },
  });
  await deployed(spec, one.env);
  await one.run(hostPort, one.env, ...one.writes);
  const changed = { ...one.env, ...one.changed };
  await deployed(fixture.spec({}, spec), changed);
  expect(await one.run(hostPort, changed, one.reads)).toBe(42);
  await expect(one.run(hostPort, one.env, 'SELECT 1')).rejects.toThrow(/denied|authentication failed/i);
});
