/**
 * Wildcards, end to end: the real Worker, runner, edge and Caddy, a CA that checks the DNS as Let's Encrypt does, and a DNS provider whose
 * zone it reads. Programs are killed at each end of the record's life.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getSecurely, handshake } from '../support/docker/tls-host.ts';
import { freePorts } from '../support/free-ports.ts';
import { killNine } from '../support/instance/instance-processes.ts';
import type { Json } from '../support/instance/longshore.ts';
import { webApp } from '../support/instance/repository.ts';
import { type SecondRunner, startSecondRunner } from '../support/instance/second-runner.ts';
import { useInstance, useRepositories } from '../support/instance/use-instance.ts';
import { testCa } from '../support/issued-certificate.ts';
import { NamecheapServer, namecheapKey } from '../support/servers/namecheap-server.ts';
import { type Pebble, startPebble } from '../support/servers/pebble.ts';

const zone = 'example.com';
let ca: Pebble;
let namecheap: NamecheapServer;
let proxyPorts: [number, number];
let root: string;
/** Whether the name servers have what the provider has. */
let isServed = true;

beforeAll(async () => {
  const [httpPort = 0, tlsPort = 0] = await freePorts(2);
  proxyPorts = [httpPort, tlsPort];
  ca = await startPebble({ httpPort, tlsPort });
  namecheap = await NamecheapServer.start();
  namecheap.addDomain(zone, [{ Name: '_acme-challenge', Type: 'TXT', Address: 'by hand' }]);
  ca.txt.get = (name) => (isServed ? recordsOf(name) : []);
  root = await ca.issuingRoot();
  // Inherited by all programs of the instance, and by the second host.
  Object.assign(process.env, {
    LONGSHORE_ACME_CA: `https://127.0.0.1:${ca.port}/dir`,
    LONGSHORE_ACME_CA_ROOT: ca.serverRoot,
    NODE_OPTIONS: `--import=${new URL('../support/instance/outside-stand-in.ts', import.meta.url).href}`,
    TEST_NAMECHEAP_URL: namecheap.url,
    TEST_NAME_SERVER: `127.0.0.1:${ca.dnsPort}`,
    TEST_ZONE: zone,
  });
});
afterAll(async () => {
  await namecheap?.stop();
  await ca?.close();
});

/** TXT records of the zone at the provider. */
const recordsOf = (name: string) =>
  (namecheap.domains[0]?.hosts ?? [])
    .filter((host) => host.Type === 'TXT' && `${host.Name}.${zone}` === name)
    .map(({ Address }) => Address);
const challenges = () =>
  (namecheap.domains[0]?.hosts ?? []).filter(({ Type, Address }) => Type === 'TXT' && Address !== 'by hand');

const repositories = useRepositories();
const longshore = useInstance(() => ({ proxyPorts }));
let project: Json;
let second: SecondRunner | undefined;

beforeAll(async () => {
  await longshore.operate('POST', '/api/system/dns-providers', {
    id: 'namecheap',
    credentials: { apiUser: 'owner', apiKey: namecheapKey, clientIp: '203.0.113.7' },
  });
  await longshore.operate('PATCH', '/api/system/settings', { publicIp: '127.0.0.1' });
  project = await longshore.newProject('Wildcards');
});
afterAll(() => second?.remove());

let count = 0;
/** A running service with these names. */
async function service(...hostnames: string[]): Promise<Json> {
  const name = `app-${++count}`;
  await repositories.add(name, webApp(name));
  const made = await longshore.newService(project, { name, repoUrl: `${repositories.url}/${name}` });
  await longshore.deploy(made.id);
  for (const hostname of hostnames) await add(made, hostname);
  return { ...made, text: `${name} ` };
}

const add = (to: Json, hostname: string) =>
  longshore.ask('POST', `/api/services/${to.id}/domains`, { hostname });
const stateOf = async ({ id }: Json, hostname: string): Promise<Json> =>
  (await longshore.overview(id)).domains.find((one: Json) => one.hostname === hostname);
const patience = { timeout: 60_000 };
/** @param until it is valid at least that long */
const issued = (of: Json, hostname: string, until = 0) =>
  expect
    .poll(async () => {
      const { state, expiresAt } = (await stateOf(of, hostname)).certificate;
      return state === 'issued' && Date.parse(expiresAt) > until;
    }, patience)
    .toBe(true);
const visit = (name: string, port = longshore.httpsPort) => getSecurely(port, name, root);
const noneLeft = () => expect.poll(challenges, patience).toEqual([]);
const wrote = (at = namecheap.requests.length) =>
  expect
    .poll(
      () => namecheap.requests.slice(at).some((one) => one.get('Command')?.endsWith('setHosts')),
      patience,
    )
    .toBe(true);

test('a wildcard gets its certificate by the DNS of the connected provider, an exact name of another service wins, and nothing is left', async () => {
  const wide = await service(`*.${zone}`);
  await issued(wide, `*.${zone}`);
  expect([await visit(`a.${zone}`), await visit(`b.${zone}`)]).toEqual([wide.text, wide.text]);
  const [one, other] = await Promise.all(
    [`a.${zone}`, `b.${zone}`].map((name) => handshake(longshore.httpsPort, name, root)),
  );
  expect(one?.serial).toBe(other?.serial);
  await noneLeft();

  const exact = await service(`a.${zone}`);
  await issued(exact, `a.${zone}`);
  expect([await visit(`a.${zone}`), await visit(`b.${zone}`)]).toEqual([exact.text, wide.text]);
  expect((await handshake(longshore.httpsPort, `a.${zone}`, root)).serial).not.toBe(one?.serial);

  const { id } = await stateOf(wide, `*.${zone}`);
  await longshore.ask('DELETE', `/api/services/${wide.id}/domains/${id}`);
  await expect(visit(`b.${zone}`)).rejects.toThrow();
  expect(await visit(`a.${zone}`)).toBe(exact.text);
  expect(recordsOf(`_acme-challenge.${zone}`)).toEqual(['by hand']);
});

test.each([
  ['before the provider has written it', () => namecheap.answerNext('dns.setHosts', 'silence')],
  ['after the provider has written it', () => namecheap.loseNextAnswer('dns.setHosts')],
])(
  'a control plane that is killed between row and record, %s, ends with a certificate and no record',
  async (_when, disturb) => {
    const wildcard = `*.w${count + 1}.${zone}`;
    const wide = await service();
    disturb();
    const at = namecheap.requests.length;
    await add(wide, wildcard);
    await wrote(at);
    await killNine(longshore.dataDirectory, ['workerd']);
    await expect.poll(() => longshore.overview(wide.id).catch(() => undefined), patience).toBeDefined();
    await issued(wide, wildcard);
    expect(await visit(wildcard.replace('*', 'any'))).toBe(wide.text);
    await noneLeft();
  },
);

test('a runner that is killed between record and certificate orders anew, and the record of before does not stay', async () => {
  const wildcard = `*.w${count + 1}.${zone}`;
  const wide = await service();
  isServed = false;
  await add(wide, wildcard);
  await expect.poll(() => challenges().length, patience).toBe(1);
  const [before] = challenges();
  await killNine(longshore.dataDirectory, ['runner']);
  await expect
    .poll(() => challenges().some(({ Address }) => Address !== before?.Address), patience)
    .toBe(true);
  isServed = true;
  await issued(wide, wildcard);
  expect(await visit(wildcard.replace('*', 'any'))).toBe(wide.text);
  await noneLeft();
});

test('a service with a wildcard that moves while its renewal is due gets a certificate on its new host, and the old host keeps none', async () => {
  const wildcard = `*.w${count + 1}.${zone}`;
  const wide = await service(wildcard);
  await issued(wide, wildcard);
  await noneLeft();
  second = await startSecondRunner(longshore);
  // Five of 85 days are left.
  const ending = await (await testCa()).issue([wildcard], { from: -80, until: 5 });
  const files = join(longshore.dataDirectory, 'runner', 'caddy', 'wildcard-certificates');
  const file = `_w${wildcard.slice(1)}.pem`;
  expect(readdirSync(files)).toContain(file);
  writeFileSync(join(files, file), ending.chain + ending.key);
  isServed = false;
  await killNine(longshore.dataDirectory, ['runner']);
  await expect.poll(() => challenges().length, patience).toBe(1);
  await longshore.ask('PATCH', `/api/services/${wide.id}`, { runnerId: second.runnerId });
  await longshore.deploy(wide.id);
  await expect.poll(() => challenges().length, patience).toBe(2);
  isServed = true;
  await issued(wide, wildcard, Date.now() + 300 * 86_400_000);
  const port = JSON.parse(readFileSync(join(second.root, 'runner.json'), 'utf8')).httpsPort;
  expect(await visit(wildcard.replace('*', 'any'), port)).toBe(wide.text);
  await expect.poll(() => readdirSync(files), patience).not.toContain(file);
  // That of the old host, which reports nothing of the name any more, is removed by cron (answer-challenges.test.ts).
  await expect.poll(() => challenges().length, patience).toBeLessThanOrEqual(1);
});
