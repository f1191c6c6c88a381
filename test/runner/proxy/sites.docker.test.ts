import { mkdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { compressRelease } from '../../../runner/proxy/compress-release.ts';
import type { Route } from '../../../runner/proxy/traffic.ts';
import { ask, rawGet, sendRaw, tcp } from '../../support/docker/ask.ts';
import { keepAsking } from '../../support/docker/keep-asking.ts';
import { routeTo, startApp } from '../../support/docker/test-proxy.ts';
import { useTestProxy } from '../../support/docker/use-scenes.ts';
import { type Door, exchange } from '../../support/real-world/exchange.ts';

const host = useTestProxy();

beforeAll(async () => {
  await writeFile(join(host.dataDir, 'secret'), 'secret');
});

beforeEach(async () => {
  await host.proxy.traffic.remove('svc_site');
});

/** Writes a release and gives back its route. */
async function release(name: string, files: Record<string, string>, spa = false): Promise<Route> {
  const directory = join(host.dataDir, 'sites', 'releases', name);
  await mkdir(directory, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(directory, path, '..'), { recursive: true });
    await writeFile(join(directory, path), text);
  }
  return {
    serviceId: 'svc_site',
    deploymentId: name,
    hostnames: ['site.localhost'],
    hostPort: host.config.webPorts.last,
    target: { type: 'site', directory, spa },
  };
}

const visit = (path: string, hostHeader = 'site.localhost') =>
  ask(host.config.httpPort, hostHeader, { path });
const pages = { 'index.html': 'home', 'about.html': 'about', 'docs/index.html': 'docs', 'empty/a.txt': 'a' };

test('pages are served by name and by host port: index, without .html, folders with a slash', async () => {
  await host.proxy.traffic.switchTo(await release('dep_pages', pages));
  expect((await visit('/')).body).toBe('home');
  expect((await visit('/about')).body).toBe('about');
  expect((await visit('/about.html')).body).toBe('about');
  expect((await visit('/docs/')).body).toBe('docs');
  expect(await visit('/docs')).toMatchObject({ status: 308, headers: { location: '/docs/' } });
  const port = host.config.webPorts.last;
  expect((await ask(port, `127.0.0.1:${port}`, { path: '/about' })).body).toBe('about');
});

const slashes = [
  ['/docs?x=1&y=a%20b', '/docs/?x=1&y=a%20b'],
  ['/docs?', '/docs/?'],
  ['/docs?next=/a?b/', '/docs/?next=/a?b/'],
  ['/a%20b%3Fc?x', '/a%20b%3Fc/?x'],
  ['//docs?x', '/docs/?x'],
  ['/docs/deep?x', '/docs/deep/?x'],
  ['/about.html/?x=1', '/about.html?x=1'],
  ['/about/?x=1&y=%2F', '/about?x=1&y=%2F'],
  ['//about///?x', '/about?x'],
];

test.each(slashes)(
  'a redirect of %s to the path with or without its slash keeps query and escapes',
  async (path, location) => {
    const more = { 'docs/deep/index.html': 'deep', 'a b?c/index.html': 'odd' };
    await host.proxy.traffic.switchTo(await release('dep_slashes', { ...pages, ...more }));
    expect(await visit(path)).toMatchObject({ status: 308, headers: { location } });
    const port = host.config.webPorts.last;
    expect(await ask(port, `127.0.0.1:${port}`, { path })).toMatchObject({
      status: 308,
      headers: { location },
    });
  },
);

test('a single-page app redirects the files that it has, and no other paths', async () => {
  await host.proxy.traffic.switchTo(await release('dep_slashes_spa', pages, true));
  expect((await visit('/about/?x')).headers.location).toBe('/about?x');
  expect(await visit('/users/7/?x')).toMatchObject({ status: 200, body: 'home' });
});

test('pages of a name in upper case are reached by a redirect to the lower-case one', async () => {
  await host.proxy.traffic.switchTo(await release('dep_upper', pages));
  expect(await visit('/about?x=1', 'Site.LOCALHOST')).toMatchObject({
    status: 308,
    headers: { location: '//site.localhost/about?x=1' },
  });
});

test('pages that do not exist are 404: a sentence, or the site’s own page', async () => {
  await host.proxy.traffic.switchTo(await release('dep_plain', pages));
  expect(await visit('/nothing')).toMatchObject({
    status: 404,
    body: expect.stringContaining('no such page'),
  });
  expect((await visit('/empty/')).status).toBe(404);
  await host.proxy.traffic.switchTo(await release('dep_own404', { ...pages, '404.html': 'lost' }));
  for (const path of ['/nothing', '/empty/', '/docs/none']) {
    expect(await visit(path)).toMatchObject({ status: 404, body: 'lost' });
  }
});

test('unknown paths of a single-page app get index.html with 200', async () => {
  await host.proxy.traffic.switchTo(await release('dep_spa', { ...pages, '404.html': 'lost' }, true));
  expect(await visit('/users/7')).toMatchObject({ status: 200, body: 'home' });
  expect((await visit('/about')).body).toBe('about');
});

test('pages with names that need escaping are found', async () => {
  await host.proxy.traffic.switchTo(
    await release('dep_names', { 'index.html': 'home', 'a b%c.html': 'odd' }),
  );
  expect((await visit('/a%20b%25c.html')).body).toBe('odd');
  expect((await visit('/a%20b%25c')).body).toBe('odd');
});

const types = {
  'app.webmanifest': 'application/manifest+json',
  'module.mjs': 'text/javascript; charset=utf-8',
  'a.wasm': 'application/wasm',
  'a.avif': 'image/avif',
  'a.jxl': 'image/jxl',
  'a.glb': 'model/gltf-binary',
  'en.ftl': 'text/plain; charset=utf-8',
  'app.js.map': 'application/json',
  'readme.md': 'text/markdown; charset=utf-8',
  'PHOTO.AVIF': 'image/avif',
  'a.woff2': 'font/woff2',
  'feed.atom': 'application/atom+xml',
  'page.html': 'text/html; charset=utf-8',
  'folder.md/index.html': 'text/html; charset=utf-8',
  '.well-known/apple-app-site-association': 'application/json',
};

test('files have the type of their ending, whatever the machine has installed', async () => {
  const files = Object.fromEntries(Object.keys(types).map((path) => [path, 'x']));
  const more = { ...pages, 'a.strange': 'x', noending: 'x' };
  await host.proxy.traffic.switchTo(await release('dep_types', { ...files, ...more }, true));
  for (const [path, type] of Object.entries(types))
    expect((await visit(`/${path.replace(/index.html$/, '')}`)).headers['content-type'], path).toBe(type);
  for (const path of ['/about', '/docs/', '/unknown.md', '/unknown'])
    expect((await visit(path)).headers['content-type'], path).toBe('text/html; charset=utf-8');
  for (const path of ['/a.strange', '/noending'])
    expect((await visit(path)).headers['content-type'], path).toBeUndefined();
});

const hash = '3f2c91ab';
const names = {
  ...pages,
  [`main.${hash}.js`]: 'hashed',
  'assets/index-DiwrgTda.css': 'hashed',
  '_astro/page.css': 'hashed',
  'report-20240101.pdf': 'a date',
  'assets/my-component.js': 'a word',
  'script.js': 'a name',
  '404.html': 'lost',
};
const kept = (path: string) => visit(path).then(({ headers }) => headers['cache-control']);

test('browsers cache hashed file names permanently, and ask again for everything else', async () => {
  await host.proxy.traffic.switchTo(await release('dep_cache', names));
  for (const path of [`/main.${hash}.js`, '/assets/index-DiwrgTda.css', '/_astro/page.css'])
    expect(await kept(path), path).toBe('public, max-age=31536000, immutable');
  const others = ['/', '/about', '/docs/', '/report-20240101.pdf', '/assets/my-component.js', '/script.js'];
  for (const path of others) expect(await kept(path), path).toBe('no-cache');
});

test('browsers never keep an answer for a hashed file that is gone', async () => {
  await host.proxy.traffic.switchTo(await release('dep_gone', names));
  expect(await visit('/main.00000aaa.js')).toMatchObject({
    status: 404,
    headers: { 'cache-control': 'no-cache' },
  });
  await host.proxy.traffic.switchTo(await release('dep_gone_spa', { 'index.html': 'home' }, true));
  expect(await kept('/main.00000aaa.js')).toBe('no-cache');
});

test('browsers that already have a file get 304 by its ETag', async () => {
  await host.proxy.traffic.switchTo(await release('dep_etag', names));
  const { headers } = await visit('/script.js');
  const again = await ask(host.config.httpPort, 'site.localhost', {
    path: '/script.js',
    headers: { 'if-none-match': headers.etag ?? '' },
  });
  expect(again.status).toBe(304);
});

test('browsers that take it get the compressed file beside the plain one', async () => {
  const files = { 'index.html': 'home', 'app.js': 'plain', 'app.js.br': 'as br', 'app.js.gz': 'as gzip' };
  await host.proxy.traffic.switchTo(await release('dep_small', files));
  const get = (encodings: string) =>
    ask(host.config.httpPort, 'site.localhost', {
      path: '/app.js',
      headers: { 'accept-encoding': encodings },
    });
  expect(await get('gzip, br')).toMatchObject({ body: 'as br', headers: { 'content-encoding': 'br' } });
  expect(await get('gzip')).toMatchObject({ body: 'as gzip', headers: { 'content-encoding': 'gzip' } });
  const { body, headers } = await get('identity');
  expect(body).toBe('plain');
  expect((await get('br')).headers).toMatchObject({
    'content-type': headers['content-type'],
    vary: 'Accept-Encoding',
  });
});

test('a compressed release has an ETag for each encoding, answers 304, and sends ranges of the plain file', async () => {
  const words = 'the same words again '.repeat(500);
  const route = await release('dep_compressed', { 'index.html': words, 'assets/index-DiwrgTda.js': words });
  if (route.target.type !== 'site') throw new Error('no site');
  await compressRelease(route.target.directory, new AbortController().signal);
  await host.proxy.traffic.switchTo(route);
  const get = (headers: Record<string, string>, path = '/') =>
    ask(host.config.httpPort, 'site.localhost', { path, headers });
  const etags = new Set<string>();
  for (const encoding of ['br', 'gzip', 'identity']) {
    const { headers, body } = await get({ 'accept-encoding': encoding });
    const etag = headers.etag ?? '';
    etags.add(etag);
    expect(headers['content-encoding'] ?? 'identity').toBe(encoding);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    if (encoding !== 'identity') expect(body.length).toBeLessThan(words.length / 10);
    expect((await get({ 'accept-encoding': encoding, 'if-none-match': etag })).status).toBe(304);
  }
  expect(etags.size).toBe(3);
  const part = await get({ range: 'bytes=4-7', 'accept-encoding': 'identity' }, '/assets/index-DiwrgTda.js');
  expect(part).toMatchObject({ status: 206, body: 'same' });
  const hashed = await get({ 'accept-encoding': 'br' }, '/assets/index-DiwrgTda.js');
  expect(hashed.headers).toMatchObject({
    'content-encoding': 'br',
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'Accept-Encoding',
  });
});

test('a slow download that is open when the release is replaced and removed is whole, at every door', {
  tags: 'slow',
}, async () => {
  const bytes = 64 * 2 ** 20;
  const one = await release('dep_open', { 'index.html': 'one' });
  await writeFile(join(host.dataDir, 'sites', 'releases', 'dep_open', 'large.bin'), Buffer.alloc(bytes, 'x'));
  await host.proxy.traffic.switchTo(one);
  const { httpPort, httpsPort } = host.config;
  const name = 'site.localhost';
  const doors: Door[] = [
    { port: httpPort, name },
    { port: httpsPort, name, over: 'tls' },
    { port: httpsPort, name, over: 'http2' },
    { port: one.hostPort, name: `127.0.0.1:${one.hostPort}` },
  ];
  const downloads = await Promise.all(
    doors.map((door) => {
      const { sent, answer } = exchange(door, 'GET', '/large.bin');
      sent.end();
      return answer;
    }),
  );
  await host.proxy.traffic.switchTo(await release('dep_after', { 'index.html': 'two' }));
  await rm(join(host.dataDir, 'sites', 'releases', 'dep_open'), { recursive: true });
  expect((await visit('/large.bin')).status).toBe(404);
  for (const { body } of downloads) {
    let seen = 0;
    for await (const part of body) seen += (part as Buffer).length;
    expect(seen).toBe(bytes);
  }
});

test('switches between releases lose no request and never mix two releases', async () => {
  const routes = await Promise.all(
    ['one', 'two'].map((text) => release(`dep_${text}`, { 'index.html': text })),
  );
  const [one, two] = routes;
  if (!one || !two) throw new Error('no releases');
  await host.proxy.traffic.switchTo(one);
  const load = keepAsking(host.config.httpPort, 'site.localhost', 4);
  for (const route of [two, one, two, one, two]) await host.proxy.traffic.switchTo(route);
  const { failures, bodies } = await load.stop();
  // A static site takes GET alone; the load's POSTs are refused.
  expect(failures.filter((failure) => !failure.startsWith('POST 405'))).toEqual([]);
  expect(bodies.filter((body) => !body.startsWith('405')).sort()).toEqual(['one', 'two']);
});

test('switches are seen by browsers although a build has set all file times alike', async () => {
  const route = await release('dep_fixed', { 'index.html': 'aaa' });
  if (route.target.type !== 'site') throw new Error('no site');
  const fixed = new Date('2020-01-01T00:00:00Z');
  await utimes(join(route.target.directory, 'index.html'), fixed, fixed);
  await host.proxy.traffic.switchTo(route);
  const { headers } = await visit('/');
  expect(Date.parse(headers['last-modified'] ?? '')).toBeGreaterThan(Date.now() - 60_000);
  // Caddy's ETag is made of the time in seconds and the size.
  expect(headers.etag).not.toContain((fixed.getTime() / 1000).toString(36));
});

test('switches from a site to a container and back lose no request', async () => {
  const site = await release('dep_static', { 'index.html': 'static' });
  const app = await startApp('127.9.6.1', 'dynamic');
  const container = routeTo(app, {
    serviceId: 'svc_site',
    hostnames: ['site.localhost'],
    hostPort: site.hostPort,
  });
  await host.proxy.traffic.switchTo(site);
  const load = keepAsking(host.config.httpPort, 'site.localhost', 4);
  for (const route of [container, site, container, site]) await host.proxy.traffic.switchTo(route);
  const { failures, bodies } = await load.stop();
  expect(failures.filter((failure) => !failure.startsWith('POST 405'))).toEqual([]);
  expect(bodies).toEqual(expect.arrayContaining(['static', 'dynamic']));
  await app.close();
});

test('sites survive a restart of the runner, and a removed one is 404', async () => {
  await host.proxy.traffic.switchTo(await release('dep_kept', { 'index.html': 'kept' }));
  await host.restart();
  expect((await visit('/')).body).toBe('kept');
  await host.proxy.traffic.remove('svc_site');
  expect((await visit('/')).status).toBe(404);
  expect(await host.proxy.traffic.probe('site.localhost')).toMatchObject({ ok: true });
});

test.each([
  '/../../../secret',
  '/..%2f..%2f..%2fsecret',
  '/%2e%2e/%2e%2e/%2e%2e/secret',
  '/..\\..\\..\\secret',
  '/....//....//secret',
  '/docs/../../../../secret',
  '/%00/../../secret',
  '//../../../secret',
  '/{env.HOME}/secret',
])('nothing outside the release is served by the path %s', async (path) => {
  await host.proxy.traffic.switchTo(await release('dep_paths', pages));
  const answer = await sendRaw(tcp(host.config.httpPort), rawGet('site.localhost', path));
  expect(answer).toMatch(/^HTTP\/1\.1 [345]/);
  expect(answer).not.toContain('\r\n\r\nsecret');
});

test('nothing outside the release is served by symbolic links in the files, whichever way they are written', async () => {
  const route = await release('dep_links', { ...pages, 'real.txt': 'real' });
  if (route.target.type !== 'site') throw new Error('no site');
  const { directory } = route.target;
  const links = {
    absolute: '/etc/passwd',
    climbing: '../../../secret',
    directory: '../../..',
    'through-proc': '../../../../../proc/self/cwd/etc/passwd',
    chained: 'climbing',
    inside: 'real.txt',
    'docs/up': '../real.txt',
  };
  for (const [name, target] of Object.entries(links)) await symlink(target, join(directory, name));
  await host.proxy.traffic.switchTo(route);
  for (const path of ['/absolute', '/climbing', '/directory/secret', '/through-proc', '/chained']) {
    expect(await visit(path), path).toMatchObject({ status: 404 });
  }
  expect((await visit('/inside')).body).toBe('real');
  expect((await visit('/docs/up')).body).toBe('real');
});

test('secret files of a repository are not served', async () => {
  await host.proxy.traffic.switchTo(
    await release('dep_hidden', {
      ...pages,
      '.env': 'key',
      '.git/config': 'token',
      '.well-known/x': 'known',
      '.well-known/.key': 'key',
      'docs/.npmrc': 'token',
    }),
  );
  for (const path of ['/docs/.npmrc', '/.well-known/.key', '/%2eenv', '/.git/', '//.env', '/docs/../.env'])
    expect((await visit(path)).body, path).not.toMatch(/key|token/);
  expect((await visit('/.env')).status).toBe(404);
  expect((await visit('/.git/config')).status).toBe(404);
  expect((await visit('/.well-known/x')).body).toBe('known');
});

test('a redirect never leads to another host', async () => {
  await host.proxy.traffic.switchTo(await release('dep_redirect', pages));
  const answer = await sendRaw(tcp(host.config.httpPort), rawGet('site.localhost', '//docs'));
  expect(answer).not.toMatch(/^location: \/\//im);
});
