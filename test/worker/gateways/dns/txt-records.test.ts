/** Answers of public resolvers, in the forms of Cloudflare and Google. */
import { expect, test } from 'vitest';
import { createLookUpTxt } from '../../../../worker/gateways/dns/txt-records.ts';
import { DohServer } from '../../../support/worker/servers/doh-server.ts';

const name = '_longshore.example.com';

function setUp(askHost: (name: string) => Promise<unknown> = async () => undefined) {
  const dns = new DohServer();
  return { dns, lookUp: createLookUpTxt({ fetch: dns.fetch, askHost }) };
}

test.each(['cloudflare-dns.com', 'dns.google'])('records are read as %s writes them', async (host) => {
  const { dns, lookUp } = setUp();
  for (const other of ['cloudflare-dns.com', 'dns.google']) if (other !== host) dns.down.add(other);
  dns.set(name, 'longshore=abc', 'a "quoted" text');
  const answer = await lookUp(name);
  expect(answer).toMatchObject({ found: 'records' });
  expect(answer.found === 'records' && answer.values[0]).toBe('longshore=abc');
  expect(dns.asked.at(-1)).toBe(`${host} ${name}`);
});

test('a name without records is a definite answer; a failure of its name servers is none', async () => {
  const { dns, lookUp } = setUp();
  expect(await lookUp(name)).toEqual({ found: 'records', values: [] });
  dns.statuses.set(name, 2);
  expect(await lookUp(name)).toEqual({ found: 'failure', reason: 'DNS status 2' });
});

test('a CNAME is not followed', async () => {
  const { dns, lookUp } = setUp();
  dns.set('_longshore.elsewhere.net', 'longshore=abc');
  dns.alias(name, '_longshore.elsewhere.net');
  expect(await lookUp(name)).toEqual({ found: 'records', values: [] });
});

test('a host answers when no resolver can be reached; what it sends is checked', async () => {
  const answers: unknown[] = [{ found: 'records', values: ['x'] }, { found: 'all' }, undefined];
  const { dns, lookUp } = setUp(async () => {
    if (answers.length === 0) throw new Error('offline');
    return answers.shift();
  });
  for (const host of ['cloudflare-dns.com', 'dns.google']) dns.down.add(host);
  expect(await lookUp(name)).toEqual({ found: 'records', values: ['x'] });
  for (const _ of [1, 2, 3]) {
    expect(await lookUp(name)).toEqual({ found: 'failure', reason: 'no resolver could be reached' });
  }
});
