/** Databases with TLS, created by real deployments, and a client that inspects their certificates. */
import pg from 'pg';
import { expect } from 'vitest';
import type { DeploySpec } from '../../../protocol/job-spec.ts';
import { type Clock, systemClock } from '../../../runner/base/clock.ts';
import { createDatabaseTls, type HostDatabaseTls } from '../../../runner/database-tls/database-tls.ts';
import { offeredCertificate } from '../../../runner/engines/postgres/offered-certificate.ts';
import { freePorts } from '../free-ports.ts';
import type { DeployFixture } from './deploy-fixture.ts';
import { testId } from './docker-host.ts';

const env = { POSTGRES_DB: 'app', POSTGRES_USER: 'app', POSTGRES_PASSWORD: 'pä"s\'s\\ 1' };
/** The same for libpq. */
export const signIn = `dbname=app user=app password='pä"s\\'s\\\\ 1'`;
/** RFC 5737: a documentation address. */
export const hostAddress = '192.0.2.7';

/** A clock that is ahead of (or behind) the real one, for servers and clients. */
export const clockAt = (offsetMs: () => number): Clock => ({
  ...systemClock,
  now: () => Date.now() + offsetMs(),
});

export const tlsOf = (dataDirectory: string, runnerId: string, clock: Clock): HostDatabaseTls =>
  createDatabaseTls({ dataDirectory, runnerId, clock, publicAddress: async () => hostAddress });

/** The spec of a new database, or of another deployment of an existing one. */
export async function databaseSpec(
  fixture: DeployFixture,
  publicNames: string[],
  {
    engine = 'postgres' as 'postgres' | 'timescale',
    of,
  }: { engine?: 'postgres' | 'timescale'; of?: DeploySpec } = {},
): Promise<DeploySpec> {
  const imageRef = engine === 'postgres' ? 'postgres:17' : 'timescale/timescaledb:latest-pg17';
  const own = of ? {} : { serviceId: testId('service'), hostPort: (await freePorts(1))[0] ?? 0 };
  const more = { publicAddress: '127.0.0.1', logicalReplication: false, publicNames } as const;
  return fixture.spec({ source: { type: 'database', engine, imageRef, ...more }, ...own }, of);
}

/** Deploys; the deployment must succeed. @returns its log */
export async function deployed(fixture: DeployFixture, spec: DeploySpec): Promise<string> {
  const { result, context } = await fixture.deploy(spec, { secrets: { env } });
  expect(result, context.text()).toMatchObject({ outcome: 'succeeded' });
  await fixture.retireNow();
  return context.text();
}

export const attempted = (fixture: DeployFixture, spec: DeploySpec) =>
  fixture.deploy(spec, { secrets: { env } });

const placeOf = ({ hostPort }: DeploySpec) => ({ host: '127.0.0.1', port: hostPort });

export const offeredBy = (spec: DeploySpec) => offeredCertificate(placeOf(spec));

/** Signs in through the published port. */
export async function connect(spec: DeploySpec, ssl: pg.ConnectionConfig['ssl']): Promise<pg.Client> {
  const { POSTGRES_USER: user, POSTGRES_PASSWORD: password, POSTGRES_DB: database } = env;
  const client = new pg.Client({ ...placeOf(spec), user, password, database, ssl: ssl ?? false });
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** Signs in and out again. @returns the version of TLS; null without TLS */
export async function versionOf(spec: DeploySpec, ssl: pg.ConnectionConfig['ssl']): Promise<string | null> {
  const client = await connect(spec, ssl);
  try {
    const { rows } = await client.query('SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
    return rows[0].version;
  } finally {
    await client.end();
  }
}
