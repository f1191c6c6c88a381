import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openRouteTable } from '../../../runner/proxy/route-table.ts';
import { routeTo } from '../../support/docker/test-proxy.ts';

let directory: string;
let file: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'longshore-routes-'));
  file = join(directory, 'edge', 'state.json');
});
afterEach(() => rmSync(directory, { recursive: true }));

const shop = routeTo({ address: '10.210.0.5', port: 80 }, { hostPort: 41_000 });

test('the route table survives in its file alone', () => {
  openRouteTable(file).put(shop.serviceId, shop);
  const again = openRouteTable(file);
  expect([again.version, again.all(), again.of('svc_shop')]).toEqual([1, [shop], shop]);
});

test('the route table has one route per service, and its version rises with every change', () => {
  const table = openRouteTable(file);
  table.put(shop.serviceId, shop);
  table.put(shop.serviceId, { ...shop, deploymentId: 'dep_2' });
  expect(table.all()).toEqual([{ ...shop, deploymentId: 'dep_2' }]);
  table.put(shop.serviceId, undefined);
  expect([table.version, table.all(), table.knows('shop.localhost')]).toEqual([3, [], false]);
});

test('the route table refuses a host name or host port of another service and keeps the file as it was', () => {
  const table = openRouteTable(file);
  table.put(shop.serviceId, shop);
  const before = readFileSync(file, 'utf8');
  for (const change of [{ hostPort: 0 }, { hostnames: ['other.localhost'] }]) {
    expect(() => table.put('svc_thief', { ...shop, serviceId: 'svc_thief', ...change })).toThrow(
      expect.objectContaining({ code: 'name_taken', message: expect.stringContaining('svc_shop') }),
    );
  }
  expect(readFileSync(file, 'utf8')).toBe(before);
});

test('two services without a host port do not clash', () => {
  const table = openRouteTable(file);
  table.put(shop.serviceId, { ...shop, hostPort: 0 });
  table.put('svc_b', { ...shop, serviceId: 'svc_b', hostnames: ['b.localhost'], hostPort: 0 });
  expect(table.all()).toHaveLength(2);
});

test('the route table refuses what edge would not read', () => {
  const table = openRouteTable(file);
  expect(() => table.put('svc_shop', { ...shop, hostnames: ['../x'] })).toThrow(
    expect.objectContaining({ code: 'bad_route' }),
  );
});

test('the route table never overwrites a damaged file: it is the only copy of the routes', () => {
  openRouteTable(file).put(shop.serviceId, shop);
  writeFileSync(file, 'half a fi');
  expect(() => openRouteTable(file)).toThrow(expect.objectContaining({ code: 'state_unreadable' }));
  expect(readFileSync(file, 'utf8')).toBe('half a fi');
});

test('routes are handed out as copies', () => {
  const table = openRouteTable(file);
  table.put(shop.serviceId, shop);
  table.all()[0]?.hostnames.push('sneaky.localhost');
  expect(table.knows('sneaky.localhost')).toBe(false);
});
