/** What the name servers of a zone say about a TXT record, with real name servers on loopback and with ones that misbehave. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import dns, { type Answer, type Packet } from 'dns-packet';
import { expect, onTestFinished, test } from 'vitest';
import {
  type DnsAsk,
  dnsAsk,
  missingTxt,
  realDns,
} from '../../../../runner/proxy/certificates/wildcard/served-txt.ts';

const name = '_acme-challenge.shop.example.com';
const value = 'v'.repeat(43);

/** Two name servers of example.com, which has no zone below; what is given is different. */
function zone(servers: Record<string, () => Promise<string[]>>, more: Partial<DnsAsk> = {}): DnsAsk {
  return {
    nameServers: async (of) => (of === 'example.com' ? Object.keys(servers) : []),
    addresses: async (hostname) => [`of ${hostname}`],
    txt: async (_, server) => (await servers[server.slice(3)]?.()) ?? [],
    ...more,
  };
}

const has = async () => ['of somebody else', value];
const stale = async () => ['of an earlier order'];
const empty = async () => [];
const silent = () => Promise.reject(new Error('queryTxt ETIMEOUT'));

test.each<[string, DnsAsk, RegExp | undefined]>([
  ['all of them have it beside others', zone({ 'ns1.test': has, 'ns2.test': has }), undefined],
  ['one of them has an older one', zone({ 'ns1.test': has, 'ns2.test': stale }), /^ns2\.test does not have/],
  ['one of them has none', zone({ 'ns1.test': empty, 'ns2.test': has }), /^ns1\.test does not have/],
  ['one of them does not answer', zone({ 'ns1.test': silent, 'ns2.test': has }), undefined],
  [
    'one of them does not answer and another has none',
    zone({ 'ns1.test': silent, 'ns2.test': has, 'ns3.test': empty }),
    /^ns3\.test does not have/,
  ],
  [
    'none of them answers',
    zone({ 'ns1.test': silent, 'ns2.test': silent }),
    /^ns1\.test gave no answer \(queryTxt ETIMEOUT\)\.$/,
  ],
  [
    'there are no name servers',
    zone({}),
    /^The name servers of _acme-challenge\.shop\.example\.com could not/,
  ],
  [
    'the DNS does not answer',
    zone({}, { nameServers: () => Promise.reject(new Error('ESERVFAIL')) }),
    /could not be found/,
  ],
  [
    'a name server has no address',
    zone(
      { 'ns1.test': has, 'ns2.test': has },
      { addresses: async (of) => (of === 'ns1.test' ? ['of ns1.test'] : []) },
    ),
    undefined,
  ],
  [
    'no name server has an address',
    zone({ 'ns1.test': has }, { addresses: () => Promise.reject(new Error('ENOTFOUND')) }),
    /could not be found/,
  ],
])('a record counts as the name servers have it: %s', async (_what, ask, expected) => {
  const missing = await missingTxt(name, value, ask);
  if (expected === undefined) expect(missing).toBeUndefined();
  else expect(missing).toMatch(expected);
});

test('the name servers of the nearest zone are asked, and no others', async () => {
  const asked: string[] = [];
  const found = await missingTxt(name, value, {
    nameServers: async (of) => {
      asked.push(of);
      return of === 'shop.example.com' ? ['ns.shop.test'] : ['ns.example.test'];
    },
    addresses: async (of) => [of],
    txt: async (_, server) => (server === 'ns.shop.test' ? [value] : []),
  });
  expect([found, asked]).toEqual([undefined, ['shop.example.com']]);
});

/** A name server on loopback. @param answers to a question for TXT; undefined: silence */
async function nameServer(answers: (name: string) => Partial<Packet> | undefined): Promise<string> {
  const socket = createSocket('udp4');
  socket.on('message', (packet, { address, port }) => {
    const { id = 0, questions = [] } = dns.decode(packet);
    const answer = answers(questions[0]?.name ?? '');
    if (answer) socket.send(dns.encode({ type: 'response', id, questions, ...answer }), port, address);
  });
  await once(socket.bind(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void socket.close());
  return `127.0.0.1:${socket.address().port}`;
}

const txt = (at: string, data: string | string[]): Answer => ({ type: 'TXT', name: at, ttl: 0, data });
const noSuchName = 3;
const serverFailure = 2;

test('a record of several strings is one text, and a name that does not exist has none', async () => {
  const halves = [value.slice(0, 20), value.slice(20)];
  const server = await nameServer((at) =>
    at === name ? { answers: [txt(at, halves), txt(at, 'other')] } : { flags: noSuchName },
  );
  expect(await realDns.txt(name, server)).toEqual([value, 'other']);
  expect(await realDns.txt('_acme-challenge.example.net', server)).toEqual([]);
});

test('an alias counts as what its target says, as for the CA', async () => {
  const target = 'acme.example.net';
  const server = await nameServer((at) => ({
    answers: [{ type: 'CNAME', name: at, ttl: 0, data: target }, txt(target, value)],
  }));
  expect(await realDns.txt(name, server)).toEqual([value]);
});

test('a name server that fails is no answer, and one that is silent is given up', async () => {
  const failing = await nameServer(() => ({ flags: serverFailure }));
  const mute = await nameServer(() => undefined);
  const answers = await Promise.all(
    [failing, mute].map((server) =>
      missingTxt(name, value, {
        nameServers: async () => [server],
        addresses: async () => [server],
        txt: dnsAsk({ timeout: 100, tries: 2 }).txt,
      }),
    ),
  );
  expect(answers).toEqual([
    expect.stringMatching(/gave no answer \(queryTxt ESERVFAIL/),
    expect.stringMatching(/gave no answer \(queryTxt ETIMEOUT/),
  ]);
});
