/** Slugs, generated host names, URLs, and what may name a repository, a branch, an image. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  candidateRange,
  generatedHostname,
  serviceUrls,
} from '../../../../worker/domain/names/host-names.ts';
import { hostnameSchema } from '../../../../worker/domain/names/hostname.ts';
import {
  gitBranchSchema,
  gitUrlSchema,
  hostedRepositorySchema,
} from '../../../../worker/domain/sources/git-source.ts';
import { imageReferenceSchema } from '../../../../worker/domain/sources/image-reference.ts';
import { freeSlug, slugOf } from '../../../../worker/domain/values/slug.ts';

test.each([
  ['Web Shop', 'web-shop'],
  ['  --A__b!!c--  ', 'a-b-c'],
  ['Crème Brûlée', 'creme-brulee'],
  ['日本', 'fallback'],
  ['x'.repeat(80), 'x'.repeat(50)],
])('a slug is made for %s', (name, slug) => {
  expect(slugOf(name, 'fallback')).toBe(slug);
});

test('slugs are host name labels, never look like ids, and avoid taken ones', () => {
  fc.assert(
    fc.property(fc.string(), fc.array(fc.constantFrom('a', 'a-2', 'a-3')), (name, taken) => {
      expect(slugOf(name, 'a')).toMatch(/^[a-z0-9](?:[a-z0-9-]{0,48}[a-z0-9])?$/);
      expect(taken).not.toContain(freeSlug('a', new Set(taken)));
    }),
  );
});

test('generated host names are as short as possible and always free', () => {
  const taken = new Set<string>();
  const next = (rootDomain: string | null) => {
    const hostname = generatedHostname({ slug: 'web', projectSlug: 'shop' }, rootDomain, taken);
    taken.add(hostname);
    return hostname;
  };
  expect([next(null), next(null), next(null), next(null)]).toEqual([
    'web.localhost',
    'web-shop.localhost',
    'web-shop-2.localhost',
    'web-shop-3.localhost',
  ]);
  expect(next('apps.example.com')).toBe('web.apps.example.com');
});

test('generated host names keep within 63 characters a label, and within the range that is looked up', () => {
  const long = { slug: `a${'b'.repeat(48)}c`, projectSlug: `d${'e'.repeat(49)}` };
  const taken = new Set<string>();
  const { from, below } = candidateRange(long.slug);
  for (let n = 0; n < 12; n++) {
    const hostname = generatedHostname(long, null, taken);
    expect(hostname).toMatch(/^[a-z0-9][a-z0-9-]{0,61}[a-z0-9]\.localhost$/);
    expect(hostname >= from && hostname < below).toBe(true);
    taken.add(hostname);
  }
  expect(taken.size).toBe(12);
});

test.each([
  [null, 'a.localhost', 80, 443, 'http://a.localhost'],
  [null, 'a.localhost', 8080, 8443, 'http://a.localhost:8080'],
  [null, 'a.example.com', 8080, 443, 'https://a.example.com'],
  [null, 'a.example.com', 80, 8443, 'https://a.example.com:8443'],
  ['own.example', 'a.localhost', 80, 443, 'https://own.example'],
  ['own.localhost', 'a.localhost', 8080, 8443, 'https://own.localhost:8443'],
  [null, null, 80, 443, 'http://127.0.0.1:41000'],
])('the primary URL is built for %s, %s', (preferred, generated, httpPort, httpsPort, url) => {
  const service = { isRouted: true, hostPort: 41000, generatedHostname: generated };
  expect(serviceUrls(service, preferred, { httpPort, httpsPort }).primaryUrl).toBe(url);
});

const accepts = (schema: { safeParse(text: string): { success: boolean } }) => (text: string) =>
  schema.safeParse(text).success;

test.each([
  'https://github.com/o/r.git',
  'ssh://git@host.example:22/o/r',
  'http://127.0.0.1:3000/r',
  'https://[::1]/r',
  'git@github.com:o/r.git',
])('a URL %s is accepted', (url) => expect(accepts(gitUrlSchema)(url)).toBe(true));
test.each([
  'git@-oProxyCommand=id:o/r.git',
  '-oProxyCommand=id@h:o/r.git',
  'git@h:o/r.git?x',
  'a:b@h:o/r.git',
  'file:///etc',
  'ext::id',
  'https://u@h/x',
  'https://:p@h/x',
  'ssh://a:b@h/x',
  'https://h/x#y',
  'https://h/x?',
  'https://h',
  'https://h/',
  'https:\\\\h\\x',
  ' https://h/x',
  'https://h/x\ty',
  'ssh://-x/y',
  'ssh://-a@h/y',
  '',
])('a URL %s is refused', (url) => expect(accepts(gitUrlSchema)(url)).toBe(false));

test.each([
  ...[
    'main',
    'feature/a_b.c',
    'v1.0',
    'a@b',
    'a#1',
    '_x',
    'fix,(a)',
    'a;b',
    'a$(id)',
    '@a',
    '+x',
    '.x'.slice(1),
  ],
  ...['größe/ü', '修正', 'a&b', "it's", 'a.lock.b', 'x'.repeat(244)],
])('a branch %s is accepted', (branch) => expect(accepts(gitBranchSchema)(branch)).toBe(true));
test.each([
  '-x',
  '--all',
  'a..b',
  'a.lock',
  'a.lock/b',
  '.a',
  'a/.b',
  'a//b',
  'a/',
  '/a',
  'a@{1}',
  'a b',
  'a~1',
  'a^',
  'a:b',
  'a?',
  'a*',
  'a[b',
  'a\\b',
  '@',
  'HEAD',
  'a\u007f',
  'a\ud800',
  'x'.repeat(245),
  'a\n',
  'a.',
  '',
])('a branch %j is refused', (branch) => expect(accepts(gitBranchSchema)(branch)).toBe(false));

test.each([
  'nginx',
  'nginx:1.27',
  'library/nginx',
  'ghcr.io/o/a:1',
  'localhost:5000/a',
  `a@sha256:${'0'.repeat(64)}`,
  'node:24-slim',
  'a__b/c--d',
])('an image %s is accepted', (image) => expect(accepts(imageReferenceSchema)(image)).toBe(true));
test.each([
  '',
  '-x',
  '--privileged',
  'UPPER',
  'a b',
  'a:',
  'a@sha256:1',
  'a;b',
  'a\n',
  'http://a/b',
  '../a',
  'a'.repeat(256),
])('an image %j is refused', (image) => expect(accepts(imageReferenceSchema)(image)).toBe(false));

test.each([
  ['o/r', true],
  ['o-1/r.js', true],
  ['o/..', false],
  ['-o/r', false],
  ['o', false],
  ['o/r/x', false],
  ['o/r\n', false],
])('a repository %j is read as %s', (name, taken) =>
  expect(accepts(hostedRepositorySchema)(name)).toBe(taken),
);

test.each([
  ['a.example.com', true],
  ['A.Example.COM', true],
  ['localhost', false],
  ['*.example.com', false],
  ['10.0.0.1', false],
  ['a..b', false],
  ['-a.b', false],
  [`${'a'.repeat(64)}.b`, false],
])('a host name %s is accepted: %s', (name, taken) => expect(accepts(hostnameSchema)(name)).toBe(taken));
