/** TLS of PostgreSQL and TimescaleDB: what real clients verify and refuse, and that neither renewal nor redeployment disturbs them. */
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { DeploySpec } from '../../../protocol/job-spec.ts';
import { answerDatabaseTls } from '../../../runner/database-tls/answer-database-tls.ts';
import type { HostDatabaseTls } from '../../../runner/database-tls/database-tls.ts';
import { renewCertificates } from '../../../runner/database-tls/renew-certificates.ts';
import { putFiles } from '../../../runner/docker/container-files.ts';
import { stable } from '../../support/docker/deploy-fixture.ts';
import { inspect } from '../../support/docker/docker-host.ts';
import { type PsqlClient, psqlClient } from '../../support/docker/psql-client.ts';
import * as database from '../../support/docker/tls-database.ts';
import { useDeployFixture } from '../../support/docker/use-scenes.ts';

const dayMs = 86_400_000;
const publicName = 'db.example.test';

const fixture = useDeployFixture();
let live: DeploySpec;
let tls: HostDatabaseTls;
let authority: string;
/** PEM of a CA that has signed nothing here. */
let stranger: string;

/** Moved by hand. */
let offsetMs = 0;
const clock = database.clockAt(() => offsetMs);
const logged: string[] = [];

const answer = ({ serviceId }: DeploySpec) =>
  answerDatabaseTls({ docker: fixture.host.docker, tls, clock }, { serviceId });

/** @returns what the runner says of it */
async function renew(): Promise<string[]> {
  const logger = {
    info: (line: string) => void logged.push(line),
    warn: (line: string) => void logged.push(line),
  };
  await renewCertificates({ docker: fixture.host.docker, tls, clock, logger });
  return logged.splice(0);
}

/** The CA, when its file can't be read. */
const unreadable = () => ({
  ofTenant: () => ({ ...tls, issue: () => Promise.reject(new Error('The CA is unreadable.')) }),
});
const serial = async () => (await database.offeredBy(live))?.serialNumber;
const verified = (servername: string) => database.versionOf(live, { ca: authority, servername });

beforeAll(async () => {
  const { dataDirectory, docker } = fixture.host;
  tls = database.tlsOf(dataDirectory, docker.instance, clock);
  fixture.parts.databaseTls = tls;
  live = await database.databaseSpec(fixture, [publicName]);
  await database.deployed(fixture, live);
  authority = (await answer(live)).authority ?? '';
  const other = database.tlsOf(join(dataDirectory, 'other'), 'run_other', clock);
  await other.issue('svc_other', ['localhost']);
  stranger = other.authority()?.toString() ?? '';
});

test('a deployed database offers TLS, and its host has the CA; one that was never deployed has neither', async () => {
  expect(await answer(live)).toEqual({
    active: true,
    authority: expect.stringMatching(/^-----BEGIN CERTIFICATE-----\n/),
  });
  expect(await answer(await database.databaseSpec(fixture, []))).toEqual({ active: false, authority: null });
});

test('a client that trusts the CA verifies the database by each of its names', async () => {
  for (const name of [live.serviceSlug, publicName, 'localhost']) {
    expect([name, await verified(name)]).toEqual([name, 'TLSv1.3']);
  }
});

test('a client that trusts the CA refuses it by any other name', async () => {
  for (const name of ['other.example.test', `x.${publicName}`, 'example.test'])
    await expect(verified(name)).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
});

test('a client that trusts the CA finds the addresses of the host in the certificate, and no other', async () => {
  const offered = await database.offeredBy(live);
  const has = (address: string) => offered?.checkIP(address) === address;
  expect(['127.0.0.1', database.hostAddress, '192.0.2.8'].map(has)).toEqual([true, true, false]);
});

test('a client that trusts another CA refuses the database', async () => {
  const refused = database.versionOf(live, { ca: stranger, servername: 'localhost' });
  await expect(refused).rejects.toMatchObject({ code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
});

describe("PostgreSQL's own client on the project's network", () => {
  let psql: PsqlClient;
  let address: string | undefined;
  const full = `${database.signIn} sslmode=verify-full`;

  beforeAll(async () => {
    psql = await psqlClient(fixture.host, stable(live), { '/ca.pem': authority, '/other.pem': stranger });
    const { NetworkSettings } = await inspect(fixture.host.docker, stable(live));
    address = Object.values(NetworkSettings.Networks)[0]?.IPAddress;
  });

  test("PostgreSQL's own client on the project's network verifies the database by its alias and its public name", async () => {
    const trusting = `${full} sslrootcert=/ca.pem`;
    expect(await psql.connect(`${trusting} host=${live.serviceSlug}`)).toBeUndefined();
    expect(await psql.connect(`${trusting} host=${publicName} hostaddr=${address}`)).toBeUndefined();
  });

  test("PostgreSQL's own client on the project's network refuses a wrong name, and another CA", async () => {
    const wrong = await psql.connect(`${full} sslrootcert=/ca.pem host=other.test hostaddr=${address}`);
    expect(wrong).toContain('does not match host name "other.test"');
    const unknown = await psql.connect(`${full} sslrootcert=/other.pem host=${live.serviceSlug}`);
    expect(unknown).toContain('certificate verify failed');
  });

  test("PostgreSQL's own client connects without TLS when it asks for none", async () => {
    const plain = `${database.signIn} sslmode=disable host=${live.serviceSlug}`;
    expect(await psql.connect(plain)).toBeUndefined();
    expect(await database.versionOf(live, false)).toBeNull();
  });
});

test('a renewal does nothing to a certificate that is good', async () => {
  const before = await serial();
  offsetMs = 59 * dayMs;
  expect(await renew()).toEqual([]);
  offsetMs = 0;
  expect(await serial()).toBe(before);
});

test('a renewal after two thirds of its life gives the database a new one: no restart, no session lost', async () => {
  // Made 61 days ago: the old and the new one are both valid now.
  offsetMs = -61 * dayMs;
  live = await database.databaseSpec(fixture, [publicName], { of: live });
  await database.deployed(fixture, live);
  offsetMs = 0;
  const session = await database.connect(live, { ca: authority, servername: publicName });
  const started = async () => (await session.query('SELECT pg_postmaster_start_time()')).rows;
  const [startedAt, old] = [await started(), await database.offeredBy(live)];

  expect(await renew()).toEqual([`the certificate of ${stable(live)} was renewed`]);
  await expect.poll(serial).not.toBe(old?.serialNumber);
  const renewed = await database.offeredBy(live);
  expect(renewed && renewed.validToDate.getTime() - Date.now()).toBeGreaterThan(89 * dayMs);
  expect(await verified(publicName)).toBe('TLSv1.3');
  expect(await started()).toEqual(startedAt);
  await session.end();
  expect(await renew()).toEqual([]);
});

const quiet = { info: () => {}, warn: () => {} };
const renewBy = (other: HostDatabaseTls) =>
  renewCertificates({ docker: fixture.host.docker, tls: other, clock, logger: quiet });

test('a renewal adds the names that the database has now', async () => {
  const namesOf: HostDatabaseTls['namesOf'] = (given) => tls.namesOf([...given, '192.0.2.99']);
  await renewBy({ ...tls, ofTenant: () => ({ ...tls, namesOf }) });
  const isCalledSo = async () => (await database.offeredBy(live))?.checkIP('192.0.2.99');
  await expect.poll(isCalledSo).toBe('192.0.2.99');
});

test('a renewal is of the CA that the host has now: clients that still trust a lost one refuse it', async () => {
  const { dataDirectory, docker } = fixture.host;
  const next = database.tlsOf(join(dataDirectory, 'next'), docker.instance, clock);
  await renewBy(next);
  const ca = () => next.authority()?.toString() ?? '';
  const isOfNext = () => database.versionOf(live, { ca: ca(), servername: publicName }).catch(() => null);
  await expect.poll(isOfNext).toBe('TLSv1.3');
  await expect(verified(publicName)).rejects.toThrow(/verify|signature/);
  await renewBy(tls);
  await expect.poll(() => verified(publicName).catch(() => null)).toBe('TLSv1.3');
});

test.each(['server.crt', 'server.key'])(
  'a database that a power cut left with half a %s starts again with a new certificate',
  async (file) => {
    const { docker } = fixture.host;
    const container = docker.engine.getContainer(stable(live));
    await container.stop();
    expect(await renew()).toEqual([]);
    await putFiles(docker, container.id, { [`/etc/longshore-tls/${file}`]: '-----BEGIN' });
    await container.start();
    await expect
      .poll(async () => (await container.inspect()).RestartCount, { timeout: 30_000 })
      .toBeGreaterThan(0);
    const lines = () => renew().then((said) => said.join());
    await expect
      .poll(lines, { timeout: 30_000 })
      .toContain('could not start with its certificate, and has a new one');
    // TLS is there a moment before the database takes anybody in.
    const signedIn = () => verified(publicName).catch(() => null);
    await expect.poll(signedIn, { timeout: 60_000 }).toBe('TLSv1.3');
  },
);

test('a redeployment has a new certificate, of the same CA, with the current names', async () => {
  const before = await serial();
  live = await database.databaseSpec(fixture, ['new.example.test'], { of: live });
  await database.deployed(fixture, live);
  expect(await serial()).not.toBe(before);
  expect(await verified('new.example.test')).toBe('TLSv1.3');
  await expect(verified(publicName)).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
});

test('a redeployment that could not offer TLS any more fails, and the old container keeps serving with it', async () => {
  fixture.parts.databaseTls = unreadable();
  const { result } = await database.attempted(
    fixture,
    await database.databaseSpec(fixture, [], { of: live }),
  );
  fixture.parts.databaseTls = tls;
  expect(result).toMatchObject({
    code: 'start_failed',
    message: expect.stringMatching(/which clients may rely on.* The CA is unreadable\./),
  });
  expect(await verified('new.example.test')).toBe('TLSv1.3');
});

test('a stopped database offers nothing, and its CA can still be downloaded', async () => {
  const container = fixture.host.docker.engine.getContainer(stable(live));
  await container.stop();
  expect(await answer(live)).toEqual({ active: false, authority });
  await container.start();
  await expect.poll(async () => (await answer(live)).active, { timeout: 30_000 }).toBe(true);
});

test('a first start that can have no certificate continues without, and reports it; the next brings TLS', async () => {
  fixture.parts.databaseTls = unreadable();
  const plain = await database.databaseSpec(fixture, []);
  const log = await database.deployed(fixture, plain);
  fixture.parts.databaseTls = tls;
  expect(log).toContain('Warning: the database will offer no TLS. The CA is unreadable.');
  expect(await database.versionOf(plain, false)).toBeNull();
  expect(await answer(plain)).toEqual({ active: false, authority: null });
  expect(await renew()).toEqual([]);
  const next = await database.databaseSpec(fixture, [], { of: plain });
  await database.deployed(fixture, next);
  expect(await answer(next)).toEqual({ active: true, authority });
});

test('TimescaleDB offers TLS too', async () => {
  const spec = await database.databaseSpec(fixture, [publicName], { engine: 'timescale' });
  await database.deployed(fixture, spec);
  expect(await answer(spec)).toEqual({ active: true, authority });
  expect(await database.versionOf(spec, { ca: authority, servername: publicName })).toBe('TLSv1.3');
});
