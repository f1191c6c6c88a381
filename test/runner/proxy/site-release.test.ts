import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { siteLinks } from '../../../runner/proxy/site-links.ts';
import { prepareRelease } from '../../../runner/proxy/site-release.ts';
import type { Route } from '../../../runner/proxy/traffic.ts';

let data: string;
let sites: string;
let release: string;

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'longshore-sites-'));
  sites = join(data, 'sites');
  release = join(sites, 'releases', 'dep_1');
  await mkdir(join(release, 'docs'), { recursive: true });
  await writeFile(join(release, 'index.html'), 'home');
});
afterEach(() => rm(data, { recursive: true, force: true }));

test('a release that is made ready keeps links that stay inside and loses all others', async () => {
  await writeFile(join(data, 'secret'), 'secret');
  const links = {
    kept: 'index.html',
    'docs/kept': '../index.html',
    absolute: join(release, 'index.html'),
    outside: '../../../secret',
    chained: 'outside',
    nowhere: 'not-there',
    'out-and-back': '../dep_1/index.html',
    root: '../../..',
  };
  for (const [name, target] of Object.entries(links)) await symlink(target, join(release, name));
  await prepareRelease(release, sites);
  // `out-and-back` names the release itself, so it is inside as written too.
  expect((await readdir(release)).sort()).toEqual(['docs', 'index.html', 'kept', 'out-and-back']);
  expect(await readdir(join(release, 'docs'))).toEqual(['kept']);
});

test('a release that is made ready loses pipes and other special files, which would hang or leak', async () => {
  execFileSync('mkfifo', [join(release, 'pipe')]);
  await prepareRelease(release, sites);
  expect(await readdir(release)).not.toContain('pipe');
});

test('a release that is made ready has fresh file times', async () => {
  const long = new Date('2001-01-01');
  await utimes(join(release, 'index.html'), long, long);
  await prepareRelease(release, sites);
  expect((await stat(join(release, 'index.html'))).mtimeMs).toBeGreaterThan(Date.now() - 60_000);
});

test('a release that is made ready must lie below the sites directory, links followed', async () => {
  const outside = join(data, 'elsewhere');
  await mkdir(outside);
  await symlink(outside, join(sites, 'disguised'));
  for (const directory of [outside, '/etc', join(sites, 'disguised'), join(sites, 'missing')]) {
    await expect(prepareRelease(directory, sites)).rejects.toMatchObject({ code: 'bad_route' });
  }
});

const route = (more: Partial<Route> = {}): Route => ({
  serviceId: 'svc_site',
  deploymentId: 'dep_1',
  hostnames: ['a.localhost', 'b.localhost'],
  hostPort: 41_000,
  target: { type: 'site', directory: release, spa: false },
  ...more,
});
const served = async (name: string) =>
  (await readdir(join(sites, name, 'current')).catch((): string[] => [])).includes('index.html');

test('links of sites lead every name and the host port to the release', async () => {
  siteLinks(sites).publish(route());
  for (const name of ['a.localhost', 'b.localhost', '_p41000']) expect(await served(name)).toBe(true);
});

test('links of sites mark single-page sites, and lose the mark with the next release', async () => {
  const links = siteLinks(sites);
  links.publish(route({ target: { type: 'site', directory: release, spa: true } }));
  expect(await readdir(join(sites, 'a.localhost'))).toContain('spa');
  links.publish(route());
  expect(await readdir(join(sites, 'a.localhost'))).not.toContain('spa');
});

test('links of sites that are retired take no new request and still hold the files for those under way', async () => {
  const links = siteLinks(sites);
  links.publish(route());
  links.retire([]);
  expect((await readdir(join(sites, 'a.localhost'))).sort()).toEqual(['current']);
  expect(await served('a.localhost')).toBe(true);
});

test('links of sites are swept once no route has them; releases stay', async () => {
  const links = siteLinks(sites);
  links.publish(route());
  links.publish(route());
  links.sweep([route({ hostnames: ['a.localhost'] })]);
  expect([await served('a.localhost'), await served('b.localhost')]).toEqual([true, false]);
  expect(await readdir(join(sites, '.published'))).toHaveLength(1);
  links.sweep([]);
  expect((await readdir(sites)).sort()).toEqual(['.published', 'releases']);
  expect(await readdir(release)).toContain('index.html');
});
