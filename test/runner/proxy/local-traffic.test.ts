import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTraffic, type EdgeLink } from '../../../runner/proxy/local-traffic.ts';
import { proxyPaths } from '../../../runner/proxy/proxy-paths.ts';
import { openRouteTable } from '../../../runner/proxy/route-table.ts';
import type { Route } from '../../../runner/proxy/traffic.ts';
import { routeTo } from './support/test-proxy.ts';

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
  createTraffic({ paths: proxyPaths(dataDir), httpPort: 1, edge, confirmMs });

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

describe('a switch that edge does not confirm', () => {
  test('fails with a sentence and leaves the old route in force, on disk too', async () => {
    let deaf = false;
    const traffic = trafficWith(fakeEdge(() => deaf));
    await traffic.switchTo(one);
    deaf = true;
    await expect(traffic.switchTo(two)).rejects.toMatchObject({ code: 'edge_silent' });
    expect(traffic.current('svc_shop')).toEqual(one);
    expect(openRouteTable(proxyPaths(dataDir).edgeState).all()).toEqual([one]);
  });

  test('takes a site’s links back, and those of the site before stay', async () => {
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
});

describe('changes', () => {
  test('run one after the other: the last one asked for is the one that stands', async () => {
    const traffic = trafficWith(fakeEdge());
    const all = Array.from({ length: 5 }, (_, index) => ({ ...one, deploymentId: `dep_${index}` }));
    await Promise.all(all.map((route) => traffic.switchTo(route)));
    expect(traffic.current('svc_shop')?.deploymentId).toBe('dep_4');
  });

  test('a refused one does not hold up the next', async () => {
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

  test('removing what is not there is fine', async () => {
    await trafficWith(fakeEdge()).remove('svc_nobody');
  });
});

describe('after a crash between state and links', () => {
  test('links that the state does not name are gone at the next start', async () => {
    const traffic = trafficWith(fakeEdge());
    await traffic.switchTo(await site('dep_site'));
    openRouteTable(proxyPaths(dataDir).edgeState).put('svc_shop', one);
    trafficWith(fakeEdge());
    expect(await siteNames()).toEqual([]);
  });

  test('links that the state names are made again', async () => {
    openRouteTable(proxyPaths(dataDir).edgeState).put('svc_shop', await site('dep_site'));
    trafficWith(fakeEdge());
    expect(await siteNames()).toEqual(['shop.localhost']);
  });
});
