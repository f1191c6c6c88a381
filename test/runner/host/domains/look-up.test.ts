/** Against a real name server on loopback. */
import { createSocket, type Socket } from 'node:dgram';
import dns, { type Answer } from 'dns-packet';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createLookUp, type LookUp, lookUpTxt } from '../../../../runner/host/domains/look-up.ts';
import { openLateDns } from '../../../support/real-world/late-dns.ts';

let server: Socket;
let lookUp: LookUp;

const records: Record<string, Answer[]> = {
  'both.example A': [{ type: 'A', name: 'both.example', data: '203.0.113.7' }],
  'both.example AAAA': [{ type: 'AAAA', name: 'both.example', data: '2001:db8::7' }],
  'four.example A': [{ type: 'A', name: 'four.example', data: '203.0.113.7' }],
  'alias.example A': [
    { type: 'CNAME', name: 'alias.example', data: 'four.example' },
    { type: 'A', name: 'four.example', data: '203.0.113.7' },
  ],
  '_longshore.own.example TXT': [
    { type: 'TXT', name: '_longshore.own.example', data: ['longshore=', 'abc'] },
    { type: 'TXT', name: '_longshore.own.example', data: 'v=spf1 -all' },
  ],
  '_longshore.lent.example CNAME': [
    { type: 'CNAME', name: '_longshore.lent.example', data: '_longshore.own.example' },
  ],
  '_longshore.lent.example TXT': [
    { type: 'CNAME', name: '_longshore.lent.example', data: '_longshore.own.example' },
    { type: 'TXT', name: '_longshore.own.example', data: 'longshore=abc' },
  ],
  'half.example A': [{ type: 'A', name: 'half.example', data: '203.0.113.7' }],
};
const [nxdomain, servfail, refused] = [3, 2, 5];
const codes: Record<string, number> = {
  'nobody.example': nxdomain,
  'broken.example': servfail,
  'closed.example': refused,
  'half.example AAAA': servfail,
};

beforeAll(async () => {
  server = createSocket('udp4');
  server.on('message', (packet, { port, address }) => {
    const { id, questions = [] } = dns.decode(packet);
    const [question] = questions;
    if (!question || question.name === 'silent.example') return;
    const key = `${question.name} ${question.type}`;
    const answers = records[key] ?? [];
    const flags = dns.RECURSION_AVAILABLE | (codes[key] ?? codes[question.name] ?? 0);
    server.send(dns.encode({ type: 'response', id: id ?? 0, flags, questions, answers }), port, address);
  });
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
  lookUp = createLookUp([`127.0.0.1:${server.address().port}`]);
});

afterAll(() => void server.close());

test.each([
  ['both.example', { found: 'addresses', addresses: ['203.0.113.7', '2001:db8::7'] }],
  ['four.example', { found: 'addresses', addresses: ['203.0.113.7'] }],
  ['alias.example', { found: 'addresses', addresses: ['203.0.113.7'] }],
  ['nobody.example', { found: 'nothing' }],
  ['empty.example', { found: 'nothing' }],
  ['broken.example', { found: 'failure', reason: 'ESERVFAIL' }],
  ['closed.example', { found: 'failure', reason: 'EREFUSED' }],
  // A CA that gets no answer for one of the two refuses too.
  ['half.example', { found: 'failure', reason: 'ESERVFAIL' }],
])('a look-up reports %s', async (hostname, answer) => expect(await lookUp(hostname)).toEqual(answer));

test('a silent or missing name server is a failure within seconds', { tags: 'slow' }, async () => {
  const gone = createLookUp(['127.0.0.1:1']);
  expect(await gone('four.example')).toMatchObject({ found: 'failure' });
  const from = performance.now();
  expect(await lookUp('silent.example')).toEqual({ found: 'failure', reason: 'ETIMEOUT' });
  expect(performance.now() - from).toBeLessThan(25_000);
});

test('a domain whose server answers late, in part or by TCP alone is looked up like others', {
  tags: 'slow',
}, async () => {
  const late = await openLateDns();
  onTestFinished(() => late.close());
  const names = ['late3', 'late8', 'lost-first', 'broken-first', 'truncated'];
  const answers = await Promise.all(names.map((name) => createLookUp([late.server])(`${name}.example`)));
  expect(answers).toEqual(names.map(() => ({ found: 'addresses', addresses: [late.addresses.four] })));
});

test.each([
  ['_longshore.own.example', { found: 'records', values: ['longshore=abc', 'v=spf1 -all'] }],
  ['_longshore.nobody.example', { found: 'records', values: [] }],
  // Whoever owns the target of a wildcard CNAME would own all names below it.
  ['_longshore.lent.example', { found: 'records', values: [] }],
  ['broken.example', { found: 'failure', reason: 'ESERVFAIL' }],
])('a look-up of TXT records reports those of %s', async (name, answer) => {
  expect(await lookUpTxt(name, [`127.0.0.1:${server.address().port}`])).toEqual(answer);
});
