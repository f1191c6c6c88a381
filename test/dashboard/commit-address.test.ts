import { expect, test } from 'vitest';
import { commitAddress } from '../../dashboard/pages/service/commit-address.ts';

const sha = 'f9298c8aa0';

test.each([
  ['https://github.com/acme/shop.git', `https://github.com/acme/shop/commit/${sha}`],
  ['https://user:secret@git.example.com/acme/shop', `https://git.example.com/acme/shop/commit/${sha}`],
  ['https://gitlab.com/acme/web/shop.git', `https://gitlab.com/acme/web/shop/-/commit/${sha}`],
  ['git@bitbucket.org:acme/shop.git', `https://bitbucket.org/acme/shop/commits/${sha}`],
  ['ssh://git@codeberg.org:2222/acme/shop.git', `https://codeberg.org/acme/shop/commit/${sha}`],
  ['container-image', undefined],
  ['upload', undefined],
])('the commit of %s has its page at the git host, without a login', (repoUrl, address) => {
  expect(commitAddress(repoUrl, sha)).toBe(address);
});

test('what is no commit has no page', () => {
  expect(commitAddress('https://github.com/acme/shop', '../../evil')).toBe(undefined);
});
