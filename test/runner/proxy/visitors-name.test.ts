import { expect, test } from 'vitest';
import { visitorsName } from '../../../runner/proxy/visitors-name.ts';

const generated = { hostname: 'shop.apps.example', isCustom: false, isActive: true };
const custom = (hostname: string, isActive = true) => ({ hostname, isCustom: true, isActive });

test.each([
  [
    'the first active domain',
    [generated, custom('new.example', false), custom('a.example'), custom('b.example')],
    'a.example',
  ],
  [
    'the generated name while no domain is active',
    [generated, custom('new.example', false)],
    'shop.apps.example',
  ],
  ['the generated name beside a wildcard', [generated, custom('*.example.com')], 'shop.apps.example'],
])('visitors use %s', (_, names, hostname) => {
  expect(visitorsName({ names }, ['first.example'])).toEqual({ hostname, scheme: 'https' });
});

test('visitors of a service without known names use a name of its route, and names of this machine use HTTP', () => {
  expect(visitorsName(undefined, ['*.a.example', 'b.example'])).toEqual({
    hostname: 'b.example',
    scheme: 'https',
  });
  expect(visitorsName(undefined, ['shop.localhost'])).toEqual({ hostname: 'shop.localhost', scheme: 'http' });
  expect(visitorsName(undefined, [])).toEqual({ hostname: 'localhost', scheme: 'http' });
});
