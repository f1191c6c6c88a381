import { expect, test } from 'vitest';
import type { NamedContainer } from '../../../runner/docker/networks/named-containers.ts';
import { nameRules } from '../../../runner/firewall/name-rules.ts';

const container = (deploymentId: string, address: string, more: Partial<NamedContainer> = {}) => ({
  ...{ serviceId: 'svc_a', deploymentId, address, bridge: 'br-1', running: true, hasLiveName: false },
  ...more,
});

const rulesOf = (containers: NamedContainer[], live: string | null) =>
  nameRules({ table: 'names', containers, liveDeployment: () => live });

const elementsOf = (rules: string, name: string) =>
  new RegExp(`(?:map|set) ${name} .*elements = \\{ (.*) \\}; \\}`).exec(rules)?.[1]?.split(', ') ?? [];

test('a new version leads to the live one until it is live, and the one before leads to it afterwards', () => {
  const both = [container('old', '10.0.0.2'), container('new', '10.0.0.3')];
  expect(elementsOf(rulesOf(both, 'old'), 'sent')).toEqual(['"br-1" . 10.0.0.3 : 10.0.0.2']);
  expect(elementsOf(rulesOf(both, 'new'), 'sent')).toEqual(['"br-1" . 10.0.0.2 : 10.0.0.3']);
  expect(elementsOf(rulesOf(both, 'new'), 'refused')).toEqual([]);
});

test('connections to several old replicas are spread over the live ones', () => {
  const rules = rulesOf(
    [
      ...['10.0.0.2', '10.0.0.3', '10.0.0.4'].map((address) => container('old', address)),
      ...['10.0.0.5', '10.0.0.6'].map((address) => container('new', address)),
    ],
    'new',
  );
  expect(elementsOf(rules, 'sent').map((one) => one.split(' : ')[1])).toEqual([
    ...['10.0.0.5', '10.0.0.6', '10.0.0.5'],
  ]);
});

test('a live replica that takes no connections leads to the others, and the last one to itself', () => {
  const [one, two] = [container('live', '10.0.0.2', { running: false }), container('live', '10.0.0.3')];
  expect(elementsOf(rulesOf([one, two], 'live'), 'sent')).toEqual(['"br-1" . 10.0.0.2 : 10.0.0.3']);
  const none = rulesOf([one, { ...two, running: false }], 'live');
  expect([elementsOf(none, 'sent'), elementsOf(none, 'refused')]).toEqual([[], []]);
});

test('a live version that asks for its own name is never sent to itself', () => {
  const rules = rulesOf([container('old', '10.0.0.2'), container('new', '10.0.0.3')], 'new');
  expect(elementsOf(rules, 'itself')).toEqual(['10.0.0.3 . 10.0.0.2']);
  expect(rules.indexOf('@itself accept')).toBeLessThan(rules.indexOf('map @sent'));
});

test.each([
  ['no version is live yet', [container('new', '10.0.0.3')], null],
  [
    'the live version is in another project',
    [container('old', '10.0.0.2'), container('new', '10.1.0.2', { bridge: 'br-2' })],
    'new',
  ],
  [
    'the live version has stopped for the new one',
    [container('old', '10.0.0.2', { running: false }), container('new', '10.0.0.3')],
    'old',
  ],
])('a connection is refused at once when %s', (_, containers, live) => {
  const rules = rulesOf(containers, live);
  expect(elementsOf(rules, 'sent')).toEqual([]);
  expect(elementsOf(rules, 'refused')).toHaveLength(1);
});

test('a version leads only to versions of its own service', () => {
  const rules = rulesOf(
    [
      container('one', '10.0.0.2'),
      container('one', '10.0.0.3', { serviceId: 'svc_b' }),
      container('two', '10.0.0.4'),
    ],
    'one',
  );
  expect(elementsOf(rules, 'sent')).toEqual(['"br-1" . 10.0.0.4 : 10.0.0.2']);
});
