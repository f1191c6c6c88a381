import { expect, test } from 'vitest';
import {
  assertOneLabel,
  type NameRules,
  needsVerification,
  verificationNames,
  verificationRecord,
} from '../../../../worker/domain/domains/name-verification.ts';

const shared: NameRules = { tenantId: 'ten', token: 'abc', isShared: true, rootDomain: 'apps.example.com' };

test.each([
  ['shop.eu.example.com', ['_longshore.example.com', '_longshore.shop.eu.example.com']],
  ['example.co.uk', ['_longshore.example.co.uk']],
  ['me.github.io', ['_longshore.me.github.io']],
  ['x.me.github.io', ['_longshore.me.github.io', '_longshore.x.me.github.io']],
  ['*.example.com', ['_longshore.example.com', '_longshore-wildcard.example.com']],
  // The record of one name does not give all names below it away.
  ['*.shop.example.com', ['_longshore.example.com', '_longshore-wildcard.shop.example.com']],
  ['*.me.github.io', ['_longshore.me.github.io', '_longshore-wildcard.me.github.io']],
  ['db.corp.internal', ['_longshore.corp.internal', '_longshore.db.corp.internal']],
])('%s is verified by the record of its registrable domain, or by its own', (hostname, names) => {
  expect(verificationNames(hostname)).toEqual(names);
  expect(verificationRecord(hostname, 'abc')).toEqual({
    recordType: 'TXT',
    name: names[0],
    value: 'longshore=abc',
  });
});

test.each([
  ['shop.example.com', true],
  ['notapps.example.com', true],
  ['shop.apps.example.com', false],
  ['apps.example.com', false],
  ['shop.localhost', false],
])(
  '%s needs verification on an instance with several tenants: %s; with one tenant never',
  (hostname, needs) => {
    expect(needsVerification(hostname, shared)).toBe(needs);
    expect(needsVerification(hostname, { ...shared, isShared: false })).toBe(false);
  },
);

test('only one label is allowed below the zones of an instance with several tenants', () => {
  for (const hostname of ['shop.localhost', 'shop.apps.example.com', 'a.b.example.com', 'apps.example.com'])
    expect(() => assertOneLabel(hostname, shared)).not.toThrow();
  for (const hostname of ['a.shop.localhost', 'a.shop.apps.example.com']) {
    expect(() => assertOneLabel(hostname, shared)).toThrow('more than one label');
    expect(() => assertOneLabel(hostname, { ...shared, isShared: false })).not.toThrow();
  }
  for (const hostname of ['*.shop.localhost', '*.shop.apps.example.com'])
    expect(() => assertOneLabel(hostname, shared)).toThrow('add each name separately');
});
