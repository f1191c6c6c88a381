import { expect, test } from 'vitest';
import { redirectOf } from '../../../protocol/traffic/redirects.ts';
import type { RedirectRule } from '../../../protocol/traffic/traffic-rules.ts';

const rule: RedirectRule = {
  domains: [],
  path: '/old',
  match: 'prefix',
  to: '/new',
  status: 308,
  keepPath: true,
};
const locationOf = (uri: string, changes: object = {}) =>
  redirectOf([{ ...rule, ...changes }], {
    scheme: 'https',
    host: 'a.example',
    name: 'a.example',
    servedAs: 'a.example',
    uri,
    path: uri.replace(/[?].*/, ''),
  })?.location;

test.each([
  ['/old?x=1&y=a%20b', {}, 'https://a.example/new?x=1&y=a%20b'],
  ['/old/deep?x', {}, 'https://a.example/new/deep?x'],
  ['/old?', {}, 'https://a.example/new?'],
  ['/old?next=/b?c', { keepPath: false }, 'https://a.example/new?next=/b?c'],
  ['/old/deep?x=1', { to: 'https://b.example/?from=a' }, 'https://b.example/deep?from=a&x=1'],
  ['/old?x=1', { to: 'https://b.example/#part' }, 'https://b.example/?x=1#part'],
  ['/old/deep?x=1', { to: '/new?y#part' }, 'https://a.example/new/deep?y&x=1#part'],
  ['/old', { to: '/new?y#part' }, 'https://a.example/new?y#part'],
])('a redirect of %s by %j keeps the query', (uri, changes, location) => {
  expect(locationOf(uri, changes)).toBe(location);
});
