import { readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ServiceNames } from '../../../protocol/service-names.ts';
import { createTraffic, type EdgeLink } from '../../../runner/proxy/local-traffic.ts';
import { proxyPaths } from '../../../runner/proxy/proxy-paths.ts';
import { openRouteTable } from '../../../runner/proxy/route-table.ts';
import type { Route } from '../../../runner/proxy/traffic.ts';
import { routeTo } from '../../support/docker/test-proxy.ts';
import { noTrafficRules } from '../../support/runner/no-traffic-rules.ts';

let dataDir: string;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'longshore-traffic-'));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

/** An edge that reads the file when told, like the real one, unless it is deaf. */
function fakeEdge(deaf = () => false): EdgeLink {
  let version = 0;
  return {
    reload() {
      if (!deaf()) version = openRouteTable(proxyPaths(dataDir).edgeState).version;
    },
    version: async () => version,
  };
}

const trafficWith = (edge: EdgeLink, confirmMs = 200) =>
  createTraffic({ paths: proxyPaths(dataDir), httpPort: 1, httpsPort: 1, edge, confirmMs });

const one = routeTo({ address: '10.210.0.5', port: 80 });
const two: Route = { ...one, deploymentId: 'dep_2' };

async function site(name: string): Promise<Route> {
  const directory = join(dataDir, 'sites', 'releases', name);
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, 'index.html'), name);
  return { ...one, deploymentId: name, target: { type: 'site', directory, spa: false } };
}

const siteNames = async () =>
  (await readdir(join(dataDir, 'sites'))).filter((name) => name.endsWith('.localhost'));

test('a switch that edge does not confirm fails with a sentence and leaves the old route in force, on disk too', {
  tags: 'slow',
}, async () => {
  let deaf = false;
  const traffic = trafficWith(fakeEdge(() => deaf));
  await traffic.switchTo(one);
  deaf = true;
  await expect(traffic.switchTo(two)).rejects.toMatchObject({ code: 'edge_silent' });
  expect(traffic.current('svc_shop')).toEqual(one);
  expect(openRouteTable(proxyPaths(dataDir).edgeState).all()).toEqual([one]);
});

test('a switch that edge does not confirm takes a site’s links back, and those of the site before stay', {
  tags: 'slow',
}, async () => {
  let deaf = false;
  const traffic = trafficWith(fakeEdge(() => deaf));
  await traffic.switchTo(one);
  deaf = true;
  await expect(traffic.switchTo(await site('dep_site'))).rejects.toThrow();
  expect(await siteNames()).toEqual([]);
  deaf = false;
  const before = await site('dep_before');
  await traffic.switchTo(before);
  deaf = true;
  await expect(traffic.switchTo(await site('dep_after'))).rejects.toThrow();
  const served = join(dataDir, 'sites', 'shop.localhost', 'current', 'index.html');
  expect(await readFile(served, 'utf8')).toBe('dep_before');
});

test('changes run one after the other: the last requested one wins', {
  tags: 'slow',
}, async () => {
  const traffic = trafficWith(fakeEdge());
  const all = Array.from({ length: 5 }, (_, index) => ({ ...one, deploymentId: `dep_${index}` }));
  await Promise.all(all.map((route) => traffic.switchTo(route)));
  expect(traffic.current('svc_shop')?.deploymentId).toBe('dep_4');
});

test('a refused change does not delay the next', { tags: 'slow' }, async () => {
  const traffic = trafficWith(fakeEdge());
  await traffic.switchTo(one);
  const thief = traffic.switchTo({ ...two, serviceId: 'svc_thief' });
  const next = traffic.switchTo(two);
  await expect(thief).rejects.toMatchObject({ code: 'name_taken' });
  await next;
  expect(traffic.all()).toEqual([two]);
});

test('a site of another service’s name is refused before a single link is made', async () => {
  const traffic = trafficWith(fakeEdge());
  await traffic.switchTo(one);
  const thief = { ...(await site('dep_thief')), serviceId: 'svc_thief' };
  await expect(traffic.switchTo(thief)).rejects.toMatchObject({ code: 'name_taken' });
  expect(await siteNames()).toEqual([]);
});

test('removing a missing route succeeds', async () => {
  await trafficWith(fakeEdge()).remove('svc_nobody');
});

const names = (revision: number, ...assigned: [string, boolean][]): ServiceNames => ({
  revision,
  publicIp: null,
  names: [
    { hostname: 'shop.localhost', isCustom: false, isActive: true },
    ...assigned.map(([hostname, isActive]) => ({ hostname, isCustom: true, isActive })),
  ],
});
const led = (route: Route | undefined) => [route?.hostnames, route?.tlsNames];

test('names lead where the service leads, those that are active may have a certificate; of the others none stays', {
  tags: 'slow',
}, async () => {
  const traffic = trafficWith(fakeEdge());
  await traffic.switchTo(one);
  await traffic.setNames('svc_shop', names(1, ['a.example', true], ['b.example', false]));
  expect(led(traffic.current('svc_shop'))).toEqual([
    ['shop.localhost', 'a.example', 'b.example'],
    ['shop.localhost', 'a.example'],
  ]);
  await traffic.setNames('svc_shop', names(2));
  expect(led(traffic.current('svc_shop'))).toEqual([['shop.localhost'], ['shop.localhost']]);
  expect(openRouteTable(proxyPaths(dataDir).edgeState).names()).toEqual([
    { serviceId: 'svc_shop', ...names(2) },
  ]);
});

test('names of an earlier revision change nothing, however they arrive', { tags: 'slow' }, async () => {
  const traffic = trafficWith(fakeEdge());
  await traffic.switchTo(one, names(3, ['new.example', true]));
  await traffic.setNames('svc_shop', names(2, ['old.example', true]));
  await traffic.switchTo({ ...two, hostnames: ['old.example'] }, names(2, ['old.example', true]));
  expect(traffic.current('svc_shop')).toMatchObject({
    deploymentId: 'dep_2',
    hostnames: ['shop.localhost', 'new.example'],
  });
});

test('names before there is a deployment wait for it, also over a restart, and outlast its removal', {
  tags: 'slow',
}, async () => {
  await trafficWith(fakeEdge()).setNames('svc_shop', names(2, ['a.example', false]));
  const traffic = trafficWith(fakeEdge());
  expect(traffic.all()).toEqual([]);
  await traffic.switchTo(one, names(1));
  expect(led(traffic.current('svc_shop'))).toEqual([['shop.localhost', 'a.example'], ['shop.localhost']]);
  await traffic.remove('svc_shop');
  expect([traffic.all(), traffic.names()]).toEqual([
    [],
    [{ serviceId: 'svc_shop', ...names(2, ['a.example', false]) }],
  ]);
  await traffic.forget('svc_shop');
  expect(traffic.names()).toEqual([]);
});

test('names of a site are links of the live release, whose files are not changed', {
  tags: 'slow',
}, async () => {
  const traffic = trafficWith(fakeEdge());
  await traffic.switchTo(await site('dep_site'));
  const page = join(dataDir, 'sites', 'releases', 'dep_site', 'index.html');
  const { mtimeMs } = await stat(page);
  await traffic.setNames('svc_shop', names(1, ['a.localhost', true]));
  expect((await siteNames()).sort()).toEqual(['a.localhost', 'shop.localhost']);
  expect((await stat(page)).mtimeMs).toBe(mtimeMs);
  await traffic.setNames('svc_shop', names(2));
  expect(await siteNames()).toEqual(['shop.localhost']);
});

test('names that another service has are refused until it gives them up', { tags: 'slow' }, async () => {
  const traffic = trafficWith(fakeEdge());
  await traffic.switchTo(one, names(1, ['a.example', true]));
  await traffic.switchTo({ ...two, serviceId: 'svc_b', hostnames: ['b.localhost'] });
  const theirs: ServiceNames = {
    revision: 1,
    publicIp: null,
    names: [{ hostname: 'a.example', isCustom: true, isActive: true }],
  };
  await expect(traffic.setNames('svc_b', theirs)).rejects.toMatchObject({ code: 'name_taken' });
  expect(led(traffic.current('svc_b'))).toEqual([['b.localhost'], undefined]);
  await traffic.setNames('svc_shop', names(2));
  await traffic.setNames('svc_b', theirs);
  expect(led(traffic.current('svc_b'))).toEqual([['a.example'], ['a.example']]);
});

test('names that edge does not confirm are not known', { tags: 'slow' }, async () => {
  let deaf = false;
  const traffic = trafficWith(fakeEdge(() => deaf));
  await traffic.switchTo(one, names(1));
  let changes = 0;
  traffic.onNames(() => {
    changes += 1;
  });
  deaf = true;
  await expect(traffic.setNames('svc_shop', names(2, ['a.example', true]))).rejects.toMatchObject({
    code: 'edge_silent',
  });
  expect([traffic.names()[0]?.revision, led(traffic.current('svc_shop')), changes]).toEqual([
    1,
    [['shop.localhost'], ['shop.localhost']],
    0,
  ]);
  deaf = false;
  await traffic.setNames('svc_shop', names(2, ['a.example', true]));
  expect(changes).toBe(1);
});

test('links that the state does not name are removed at the next start after a crash', async () => {
  const traffic = trafficWith(fakeEdge());
  await traffic.switchTo(await site('dep_site'));
  openRouteTable(proxyPaths(dataDir).edgeState).put('svc_shop', one);
  trafficWith(fakeEdge());
  expect(await siteNames()).toEqual([]);
});

test('links that the state names are created again after a crash', async () => {
  openRouteTable(proxyPaths(dataDir).edgeState).put('svc_shop', await site('dep_site'));
  trafficWith(fakeEdge());
  expect(await siteNames()).toEqual(['shop.localhost']);
});

test('the names of a route are marked before edge gets its change, until all have it, and a mark of a killed runner goes', {
  tags: 'slow',
}, async () => {
  const directory = proxyPaths(dataDir).switchingNames;
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, 'left.localhost'), '');
  const edge = fakeEdge();
  const seen: string[][] = [];
  const traffic = trafficWith({
    ...edge,
    reload() {
      seen.push(readdirSync(directory).sort());
      edge.reload();
    },
  });
  expect(await readdir(directory)).toEqual([]);
  await traffic.switchTo({ ...one, hostPort: 41_000 });
  expect(seen).toEqual([['_p41000', 'shop.localhost']]);
  expect(await readdir(directory)).toEqual([]);
});

test('files of the proxy that something else changes or removes are written again, and those that are right are left alone', {
  tags: 'slow',
}, async () => {
  const paths = proxyPaths(dataDir);
  const traffic = trafficWith(fakeEdge());
  await traffic.switchTo({ ...one, rules: noTrafficRules });
  await traffic.switchTo({
    ...(await site('dep_site')),
    serviceId: 'svc_site',
    hostnames: ['site.localhost'],
  });
  expect(await traffic.repair()).toEqual([]);
  const state = await readFile(paths.edgeState, 'utf8');
  const link = join(paths.sites, 'site.localhost');
  const faults: [string, () => Promise<unknown>][] = [
    [paths.edgeState, () => rm(paths.edgeState)],
    [paths.edgeState, () => writeFile(paths.edgeState, '{"version":1,"routes":[]}')],
    [paths.ruledNames, () => rm(paths.ruledNames, { recursive: true })],
    [paths.ruledNames, () => writeFile(join(paths.ruledNames, 'other.localhost'), '')],
    [link, () => rm(link)],
    [link, () => rm(join(link, 'live'))],
    [link, () => rm(join(paths.sites, '.published'), { recursive: true })],
  ];
  for (const [path, fault] of faults) {
    await fault();
    expect(await traffic.repair()).toEqual([path]);
    expect(await traffic.repair()).toEqual([]);
  }
  expect(await readFile(paths.edgeState, 'utf8')).toBe(state);
  expect(await readdir(paths.ruledNames)).toEqual(['shop.localhost']);
  expect(await readFile(join(link, 'current', 'index.html'), 'utf8')).toBe('dep_site');
});
