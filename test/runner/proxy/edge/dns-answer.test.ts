import dns from 'dns-packet';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { answerDns } from '../../../../runner/proxy/edge/dns-answer.ts';
import {
  type EdgeAnswers,
  edgeAnswers,
  retiredAnswerMs,
} from '../../../../runner/proxy/edge/edge-answers.ts';
import type { Route } from '../../../../runner/proxy/traffic.ts';
import { routeTo } from '../../../support/docker/test-proxy.ts';

const shop = routeTo({ address: '10.210.0.5', port: 3000 }, { hostPort: 41_000 });
const answersOf = (routes: Route[], before?: EdgeAnswers, now = 0) =>
  edgeAnswers({ version: 4, routes }, before, now);

type Asked = 'SRV' | 'A' | 'AAAA' | 'TXT';

const ask = (type: Asked, name: string, answers = answersOf([shop]), now = 0) =>
  askFor(type, `${name}.ls.internal`, answers, now);

function askFor(type: Asked, name: string, answers: EdgeAnswers, now: number) {
  const packet = dns.encode({ type: 'query', id: 77, questions: [{ type, name }] });
  const reply = answerDns(packet, { answers, httpPort: 15_404, pid: 1234, now });
  if (!reply) throw new Error('no answer');
  const { id, rcode, answers: records = [] } = dns.decode(reply) as dns.DecodedPacket & { rcode?: string };
  expect([id, rcode]).toEqual([77, 'NOERROR']);
  return records.map((record) => ('data' in record ? record.data : undefined));
}

const dialName = 'dep_1-10-210-0-5';

test('a host name leads to its deployment and port, in any case', () => {
  const target = { target: `${dialName}.ls.internal`, port: 3000 };
  expect(ask('SRV', 'shop.localhost')).toMatchObject([target]);
  expect(ask('SRV', 'SHOP.localhost')).toMatchObject([target]);
  expect(ask('SRV', '_p41000')).toMatchObject([target]);
});

test('a name is answered alike in the zone of names whose route is changing, and not in another one', () => {
  const answers = answersOf([shop]);
  const target = { target: `${dialName}.ls.internal`, port: 3000 };
  expect(askFor('SRV', 'shop.localhost.lss.internal', answers, 0)).toMatchObject([target]);
  // Go's resolver asks so below the search domains of the host.
  expect(askFor('SRV', 'shop.localhost.lss.internal.example', answers, 0)).toEqual([]);
});

test('a dial name has the address; AAAA is empty, so that A is used', () => {
  expect(ask('A', dialName)).toEqual(['10.210.0.5']);
  expect(ask('AAAA', dialName)).toEqual([]);
});

const replicas = (more: object = {}, count = 3) => {
  const [address = '', ...others] = Array.from({ length: count }, (_, index) => `10.210.0.${index + 5}`);
  return routeTo(
    { address, port: 3000 },
    { target: { type: 'container', address, port: 3000, others, ...more } },
  );
};
const targets = (route: Route, name = 'shop.localhost', now = 0) =>
  ask('SRV', name, answersOf([route]), now).map((data) =>
    (data as { target: string }).target.split('-').at(-1),
  );

test('a name leads to all replicas of its service but those that are down; to all of them if all are down', () => {
  expect(targets(replicas())).toEqual(['5.ls.internal', '6.ls.internal', '7.ls.internal']);
  expect(targets(replicas({ down: ['10.210.0.5'] }))).toEqual(['6.ls.internal', '7.ls.internal']);
  expect(targets(replicas({ down: ['10.210.0.5', '10.210.0.6', '10.210.0.7'] }))).toHaveLength(3);
  expect(ask('A', 'dep_1-10-210-0-7', answersOf([replicas()]))).toEqual(['10.210.0.7']);
});

test('an answer that would not fit into a packet has another part of the replicas each time', () => {
  const name = `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.localhost`;
  const route = { ...replicas({}, 10), hostnames: [name] };
  const packet = dns.encode({
    type: 'query',
    id: 1,
    questions: [{ type: 'SRV', name: `${name}.ls.internal` }],
  });
  const seen = new Set<string | undefined>();
  for (let now = 0; now < 10; now += 1) {
    const reply = answerDns(packet, { answers: answersOf([route]), httpPort: 1, pid: 1, now });
    expect(reply?.length).toBeLessThanOrEqual(1_232);
    for (const one of targets(route, name, now)) seen.add(one);
  }
  expect(seen.size).toBe(10);
});

test('an unknown name leads to the 404 answer, never to NXDOMAIN', () => {
  expect(ask('SRV', 'nobody.localhost')).toMatchObject([{ target: '_none.ls.internal', port: 15_404 }]);
  expect(ask('A', '_none')).toEqual(['127.0.0.1']);
});

test('an unknown dial name has no address: an app’s port on loopback could be somebody else’s', () => {
  expect(ask('A', 'dep_9-10-0-0-9')).toEqual([]);
});

test('a static site has no app to dial', () => {
  const site: Route = { ...shop, target: { type: 'site', directory: '/data/sites/x', spa: false } };
  expect(ask('SRV', 'shop.localhost', answersOf([site]))).toMatchObject([{ target: '_none.ls.internal' }]);
});

test('the state’s version and the process are answered', () => {
  const [texts] = ask('TXT', '_state') as [Buffer[]];
  expect(texts.map(String)).toEqual(['version=4', 'pid=1234']);
});

const next = routeTo({ address: '10.210.0.6', port: 3000 }, { deploymentId: 'dep_2' });
const after = answersOf([next], answersOf([shop]), 1_000);

test('a replaced deployment no longer gets the requests for the name', () => {
  expect(ask('SRV', 'shop.localhost', after, 1_000)).toMatchObject([
    { target: 'dep_2-10-210-0-6.ls.internal' },
  ]);
});

test('a replaced deployment keeps its address for recent askers, and no longer', () => {
  expect(ask('A', dialName, after, 1_000)).toEqual(['10.210.0.5']);
  expect(ask('A', dialName, after, 1_000 + retiredAnswerMs)).toEqual([]);
});

test('a replaced deployment is not forgotten by a second reload in between', () => {
  const again = answersOf([next], after, 1_100);
  expect(ask('A', dialName, again, 1_200)).toEqual(['10.210.0.5']);
});

test('a deployment that comes back on another address is dialled by another name', () => {
  const moved = answersOf([routeTo({ address: '10.210.0.7', port: 3000 })]);
  expect(ask('SRV', 'shop.localhost', moved)).toMatchObject([{ target: 'dep_1-10-210-0-7.ls.internal' }]);
});

test('any bytes get an answer or silence, never an error', () => {
  const facts = { answers: answersOf([shop]), httpPort: 1, pid: 1, now: 0 };
  const query = dns.encode({ type: 'query', id: 1, questions: [{ type: 'SRV', name: 'a.ls.internal' }] });
  const mangled = fc
    .tuple(fc.nat(query.length - 1), fc.integer({ min: 0, max: 255 }), fc.nat(query.length))
    .map(([at, byte, length]) => {
      const copy = Buffer.from(query);
      copy[at] = byte;
      return copy.subarray(0, length);
    });
  const random = fc.uint8Array({ maxLength: 600 }).map((bytes) => Buffer.from(bytes));
  fc.assert(
    fc.property(fc.oneof(mangled, random), (packet) => {
      const reply = answerDns(packet, facts);
      expect(reply === undefined || reply.length >= 12).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test('answers are not answered: two responders never talk to each other', () => {
  const packet = dns.encode({ type: 'response', id: 1, questions: [{ type: 'A', name: 'a.ls.internal' }] });
  expect(answerDns(packet, { answers: answersOf([]), httpPort: 1, pid: 1, now: 0 })).toBeUndefined();
});
