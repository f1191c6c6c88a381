import { expect, test } from 'vitest';
import { type Host, placeService } from '../../../../worker/domain/hosts/placement.ts';
import { testFacts } from '../../../support/test-facts.ts';

const oldDocker = { ...testFacts, dockerVersion: '20.10.24', buildFixes: false };

const host = (id: string, fields: Partial<Host> = {}): Host => ({
  id,
  name: id,
  tenantId: 'default',
  shared: true,
  facts: testFacts,
  trustedRunc: null,
  isSharedWithOthers: false,
  drained: false,
  connected: true,
  memoryMb: 4096,
  reservedMb: 0,
  ...fields,
});

const empty = host('empty');
const half = host('half', { reservedMb: 2048 });
const large = host('large', { memoryMb: 65_536, reservedMb: 8192 });
const away = host('away', { connected: false });
const drained = host('drained', { drained: true });
const own = host('own', { tenantId: 'ten', shared: false, reservedMb: 4096 });
const flawed = host('flawed', { facts: oldDocker });
const place = (hosts: Host[], projectHosts: string[], wanted: string | undefined) =>
  placeService(hosts, { tenantId: 'ten', projectHosts, wanted });

test.each<[string, Host[], string[], string | undefined, string]>([
  ['the emptier host', [half, empty], [], undefined, 'empty'],
  ['the host with the larger part free, not with fewer services', [half, large], [], undefined, 'large'],
  ['of equals the one that was there first', [host('first'), empty], [], undefined, 'first'],
  ['no drained host', [drained, half], [], undefined, 'half'],
  ['a host that is away only when no other is there', [away, half], [], undefined, 'half'],
  ['a host that is away, when it is the only one', [away, drained], [], undefined, 'away'],
  ["the tenant's own host before shared ones, however full", [empty, own], [], undefined, 'own'],
  ['a shared host that keeps tenants apart before one that does not', [flawed, half], [], undefined, 'half'],
  [
    "the tenant's own host with an old Docker, as long as no other tenant is there",
    [host('own', { tenantId: 'ten', facts: oldDocker })],
    [],
    undefined,
    'own',
  ],
  [
    'a shared host when the own ones are drained',
    [empty, host('own', { tenantId: 'ten', drained: true })],
    [],
    undefined,
    'empty',
  ],
  ['where the project is', [empty, half], ['half'], undefined, 'half'],
  ['where most of the project is', [empty, half], ['empty', 'half', 'half'], undefined, 'half'],
  ['where the project is, even while that host is away', [empty, away], ['away'], undefined, 'away'],
  ["anew when the project's host is gone or another tenant's", [half, empty], ['gone'], undefined, 'empty'],
  ['where the request says', [empty, half], ['empty'], 'half', 'half'],
])('a service goes to: %s', (_, hosts, projectHosts, wanted, expected) => {
  expect(place(hosts, projectHosts, wanted).id).toBe(expected);
});

test.each<[string, Host[], string[], string | undefined, string]>([
  ['no host at all', [], [], undefined, 'no_runner'],
  ['drained hosts only', [drained], [], undefined, 'no_runner'],
  [
    "the project's host is drained: elsewhere its services would not reach each other",
    [empty, drained],
    ['drained'],
    undefined,
    'conflict',
  ],
  ['the only shared host has an old Docker', [flawed], [], undefined, 'not_isolated'],
  ['the named host has an old Docker', [empty, flawed], [], 'flawed', 'not_isolated'],
  ["the project's host got an old Docker", [empty, flawed], ['flawed'], undefined, 'not_isolated'],
  [
    "the tenant's own host has an old Docker, and others are there",
    [host('own', { tenantId: 'ten', facts: oldDocker, isSharedWithOthers: true })],
    [],
    undefined,
    'not_isolated',
  ],
  ['the named host is drained', [empty, drained], [], 'drained', 'conflict'],
  ["the named host is unknown, revoked or another tenant's", [empty], [], 'other', 'invalid_request'],
])('a placement is refused: %s', (_, hosts, projectHosts, wanted, code) => {
  expect(() => place(hosts, projectHosts, wanted)).toThrow(expect.objectContaining({ code }));
});
