import { expect, test } from 'vitest';
import { nameOfSource, readSourceAddress } from '../../../../worker/domain/sources/source-address.ts';

const shop = 'https://github.com/acme/shop';

test.each([
  [shop, shop],
  [`${shop}.git`, `${shop}.git`],
  ['github.com/acme/shop', shop],
  ['www.github.com/acme/shop/', shop],
  ['acme/shop', shop],
  [`  ${shop}#readme `, shop],
  [`${shop}?tab=readme-ov-file`, shop],
  [`${shop}/issues/12`, shop],
  [`git clone ${shop}.git`, `${shop}.git`],
  ['git@github.com:acme/shop.git', 'git@github.com:acme/shop.git'],
  ['ssh://git@git.example.com:2222/acme/shop', 'ssh://git@git.example.com:2222/acme/shop'],
  ['https://gitlab.com/acme/group/shop/-/issues', 'https://gitlab.com/acme/group/shop'],
  ['git.example.com/acme/shop.git', 'https://git.example.com/acme/shop.git'],
])('%s is the repository %s', (text, repoUrl) => {
  expect(readSourceAddress(text)).toEqual({ kind: 'repository', repoUrl });
});

test.each([
  [`${shop}/tree/main`, shop, 'main'],
  ['github.com/acme/shop/tree/feature/login/apps/web', shop, 'feature/login/apps/web'],
  [`${shop}/blob/main/apps/web/package.json`, shop, 'main/apps/web'],
  ['https://gitlab.com/a/b/c/-/tree/main/web', 'https://gitlab.com/a/b/c', 'main/web'],
  ['https://codeberg.org/acme/shop/src/branch/main/web', 'https://codeberg.org/acme/shop', 'main/web'],
  ['https://bitbucket.org/acme/shop/src/main/web/', 'https://bitbucket.org/acme/shop', 'main/web'],
  [`${shop}/tree/a%20b/web`, shop, 'a b/web'],
])('%s names a branch and a folder', (text, repoUrl, treePath) => {
  expect(readSourceAddress(text)).toEqual({ kind: 'repository', repoUrl, treePath });
});

test.each([
  ['nginx', 'nginx'],
  ['nginx:1.29', 'nginx:1.29'],
  ['acme/shop:2', 'acme/shop:2'],
  ['ghcr.io/acme/shop', 'ghcr.io/acme/shop'],
  ['localhost:5000/shop', 'localhost:5000/shop'],
  ['docker pull ghcr.io/acme/shop:1', 'ghcr.io/acme/shop:1'],
  ['https://hub.docker.com/r/grafana/grafana/tags', 'grafana/grafana'],
  ['https://hub.docker.com/_/nginx', 'nginx'],
])('%s is the image %s', (text, imageRef) => {
  expect(readSourceAddress(text)).toEqual({ kind: 'image', imageRef });
});

test.each([
  '',
  ' ',
  'two words',
  'https://',
  'https://github.com/',
  '../folder',
  'C:\\app',
  'ftp://a/b',
  '--upload-pack=x',
])('%j is no address', (text) => {
  expect(readSourceAddress(text)).toBeUndefined();
});

test.each([
  [`${shop}.git`, 'shop'],
  ['git@github.com:acme/shop.git', 'shop'],
  ['ghcr.io/acme/shop:1.2', 'shop'],
  ['localhost:5000/shop@sha256:abc', 'shop'],
  ['apps/web', 'web'],
  ['nginx:1.29', 'nginx'],
])('the name of %s is %s', (address, name) => {
  expect(nameOfSource(address)).toBe(name);
});
