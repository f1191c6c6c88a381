import { expect, test } from 'vitest';
import { parseEdgeState } from '../../../../runner/proxy/edge/edge-state.ts';
import { routeTo } from '../../../support/docker/test-proxy.ts';

const route = routeTo({ address: '10.210.0.5', port: 8080 });
const withRoute = (changes: object) => JSON.stringify({ version: 1, routes: [{ ...route, ...changes }] });

test('the state file is read back as it was written', () => {
  const site = { ...route, target: { type: 'site' as const, directory: '/data/sites/a', spa: true } };
  const pending = { ...route, hostnames: ['a.localhost', 'a.example'], tlsNames: ['a.localhost'] };
  const state = { version: 7, routes: [route, site, pending] };
  expect(parseEdgeState(JSON.stringify(state))).toEqual(state);
});

test.each([
  ['no JSON', '{"version":'],
  ['no object', '[]'],
  ['no version', '{"routes":[]}'],
  ['a broken version', '{"version":1.5,"routes":[]}'],
  ['no routes', '{"version":1}'],
  ['a host name that climbs', withRoute({ hostnames: ['..'] })],
  ['an upper-case host name', withRoute({ hostnames: ['Shop.localhost'] })],
  ['a certificate’s name that does not lead here', withRoute({ tlsNames: ['other.localhost'] })],
  ['a host port out of range', withRoute({ hostPort: 70_000 })],
  ['an id that is no DNS label', withRoute({ deploymentId: 'dep.1' })],
  ['an address that is none', withRoute({ target: { type: 'container', address: '10.0.0.256', port: 80 } })],
  ['port 0', withRoute({ target: { type: 'container', address: '10.0.0.1', port: 0 } })],
  ['a relative directory', withRoute({ target: { type: 'site', directory: 'etc', spa: false } })],
  ['an unknown target', withRoute({ target: { type: 'socket' } })],
])('the state file with %s is refused', (_what, text) => {
  expect(() => parseEdgeState(text)).toThrow();
});
