import { expect, test } from 'vitest';
import { caddyConfig } from '../../../../runner/proxy/caddy/caddy-config.ts';
import type { CaddyFacts } from '../../../../runner/proxy/caddy/caddy-facts.ts';
import { proxyPaths } from '../../../../runner/proxy/proxy-paths.ts';

const facts: CaddyFacts = {
  paths: proxyPaths('/data'),
  httpPort: 8080,
  httpsPort: 8443,
  webPorts: { first: 41_000, last: 41_999 },
  foreignPorts: [],
  edgePort: 21_000,
  ownCertificatesSecret: 'a-secret',
  acmeDirectory: 'https://ca.example/directory',
  acmeEmail: 'ops@example.com',
  acmeCaRoot: null,
  trustedProxies: [],
  caddyVersion: '2.6.2',
};

// biome-ignore lint/suspicious/noExplicitAny: a config is looked into by path, as Caddy does it
const config = (changes: Partial<CaddyFacts> = {}): any => caddyConfig({ ...facts, ...changes });
const text = (changes: Partial<CaddyFacts> = {}) => JSON.stringify(config(changes));

test('Caddy’s config opens the admin API on a unix socket of the data directory and nowhere else', () => {
  expect(config().admin).toMatchObject({ listen: 'unix//data/caddy/admin.sock', origins: ['localhost'] });
});

test('Caddy’s config changes nothing outside the data directory: no trust store, no autosave', () => {
  expect(config().admin.config.persist).toBe(false);
  expect(config().apps.pki.certificate_authorities.local.install_trust).toBe(false);
  expect(config().storage).toEqual({ module: 'file_system', root: '/data/caddy/storage' });
});

test('Caddy’s config serves host ports on 127.0.0.1 alone', () => {
  expect(config().apps.http.servers.ports.listen).toEqual(['127.0.0.1:41000-41999']);
});

test('Caddy’s config gives .localhost and bare names Caddy’s own CA, all others the configured one, on demand only', () => {
  const { policies, on_demand } = config().apps.tls.automation;
  expect(policies).toMatchObject([
    {
      subjects: ['*', '*.localhost', '*.*.localhost', '*.*.*.localhost'],
      on_demand: true,
      issuers: [{ module: 'internal' }],
    },
    {
      on_demand: true,
      issuers: [{ module: 'acme', ca: 'https://ca.example/directory', email: 'ops@example.com' }],
    },
  ]);
  expect(config({ acmeCaRoot: '/etc/ca.pem' }).apps.tls.automation.policies[1].issuers).toMatchObject([
    { trusted_roots_pem_files: ['/etc/ca.pem'] },
  ]);
  expect(on_demand.ask).toBe('http://127.0.0.1:21000/ask');
  expect(config({ caddyVersion: 'v2.8.4 h1:abc=' }).apps.tls.automation.on_demand).toEqual({
    permission: { module: 'http', endpoint: 'http://127.0.0.1:21000/ask' },
  });
  const get_certificate = [
    { via: 'http', url: 'http://proxy:a-secret@127.0.0.1:41000/.longshore/own-certificate' },
  ];
  expect(config({ acmeDirectory: 'internal' }).apps.tls.automation.policies).toEqual([
    { on_demand: true, get_certificate, issuers: [{ module: 'internal' }] },
  ]);
});

test('Caddy’s config asks edge for names over its unix socket alone, whose end is noticed at once', () => {
  const asked = text().match(/"resolver":\{[^}]*\}/g) ?? [];
  expect(new Set(asked)).toEqual(new Set(['"resolver":{"addresses":["unix//data/edge/dns.sock"]}']));
});

test('Caddy’s config names no static fallback upstream: its address could be a stranger’s by then', () => {
  const asked = text().match(/"upstreams":\[[^\]]*\]/g) ?? [];
  // The second one is what edge has just answered.
  const dialed = ['unix//data/edge/rules.sock', '{http.vars.longshore_upstream}'];
  expect(new Set(asked)).toEqual(new Set(dialed.map((dial) => `"upstreams":[{"dial":"${dial}"}]`)));
});

test.each([
  [80, 443, '(:80)?', 'https://{http.request.host}{http.request.uri}'],
  [8080, 8443, ':8080', 'https://{http.request.host}:8443{http.request.uri}'],
])(
  'Caddy’s config redirects to HTTPS from port %i to %i, and from no port that is mapped to it',
  (httpPort, httpsPort, came, location) => {
    const { routes } = config({ httpPort, httpsPort }).apps.http.servers.http;
    const redirect = routes.find((route: object) => JSON.stringify(route).includes('https-names'));
    expect(redirect.match[0].header_regexp.Host.pattern.endsWith(`)*${came}$`)).toBe(true);
    expect(redirect.handle[0].headers.Location).toEqual([location]);
    for (const server of ['https', 'ports'])
      expect(JSON.stringify(config().apps.http.servers[server])).not.toContain('https-names');
  },
);

test('Caddy’s config ends each server’s routes with a refusal', () => {
  for (const server of Object.values<{ routes: { match?: unknown; handle: object[] }[] }>(
    config().apps.http.servers,
  )) {
    expect(server.routes.at(-1)?.match).toBeUndefined();
    expect(server.routes.at(-1)?.handle).toMatchObject([{ status_code: '400' }]);
  }
});

test.each([
  ['2.6.2', '_p{http.request.port}'],
  ['v2.7.6 h1:abc=', '_p{http.request.port}'],
  ['v2.8.4 h1:abc=', '_p{http.request.local.port}'],
  ['v2.10.0', '_p{http.request.local.port}'],
  ['v3.0.0', '_p{http.request.local.port}'],
])('Caddy %s’s config looks host ports up as %s', (caddyVersion, name) => {
  expect(text({ caddyVersion })).toContain(`"name":"${name}.ls.internal"`);
  expect(text({ caddyVersion })).toContain(`"try_files":["/${name}"]`);
});

test('Caddy’s config asks for a name sooner while its route is changing, and keeps that answer apart from the usual one', () => {
  for (const server of ['http', 'https', 'ports']) {
    const { routes } = config().apps.http.servers[server];
    const [changing, usual] = routes.slice(-3, -1);
    expect(changing.match[0].file.root).toBe('/data/caddy/switching-names');
    const [held, other] = changing.handle[0].routes;
    expect(held.match[0].file.root).toBe('/data/caddy/sleeping-names');
    expect(held.handle[0].load_balancing.try_duration).toBe('120000ms');
    const [soon, later] = [other, usual.handle[0].routes[0]].map(
      (route) => route.handle[0].dynamic_upstreams,
    );
    expect([soon.refresh, later.refresh]).toEqual(['20ms', '200ms']);
    expect(soon.name).not.toBe(later.name);
  }
});

test('Caddy’s config lets a request wait after a failed connection only if it has no body and never reached edge’s or an app’s socket', () => {
  for (const server of ['http', 'https', 'ports']) {
    const { routes } = config().apps.http.servers[server];
    for (const route of routes.slice(-3, -1)) {
      const [again, others] = route.handle[0].errors.routes;
      for (const match of again.match) {
        expect(match.vars_regexp).toEqual({ '{http.error.message}': { pattern: '^dial tcp ' } });
        expect(match.file.root).toBe('/data/caddy/sleeping-names');
        expect(JSON.stringify(match)).toContain('Content-Length');
      }
      expect(others.match).toBeUndefined();
      expect(others.handle[0].handler).toBe('error');
    }
  }
});
