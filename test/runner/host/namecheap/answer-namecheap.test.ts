/** The whole way of a record to Namecheap but for the socket: the Worker's gateway, the runner's answer, real HTTP. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { NamecheapRequest } from '../../../../protocol/namecheap.ts';
import { answerNamecheap } from '../../../../runner/host/namecheap/answer-namecheap.ts';
import { NamecheapApi } from '../../../../runner/host/namecheap/namecheap-api.ts';
import { NamecheapAccount } from '../../../../worker/gateways/dns/namecheap.ts';
import { NamecheapServer, namecheapKey, refusal } from '../../../support/servers/namecheap-server.ts';

let server: NamecheapServer;
const clientIp = '203.0.113.7';
const credentials = { apiUser: 'owner', apiKey: namecheapKey, userName: 'owner', clientIp };
const zone = { id: 'example.co.uk', name: 'example.co.uk', isConfirmed: true };
const www = { hostname: 'www.example.co.uk', type: 'A', address: '203.0.113.7' } as const;

beforeEach(async () => {
  server = await NamecheapServer.start();
});
afterEach(() => server.stop());

function accountWith(changes: Partial<NamecheapRequest['credentials']> = {}): NamecheapAccount {
  const access = { ...credentials, ...changes };
  const host = {
    clientIp: access.clientIp,
    ask: (call: NamecheapRequest['call']) =>
      answerNamecheap(JSON.stringify({ credentials: access, call }), server.url),
  };
  return new NamecheapAccount(async () => host, { apiUser: 'owner', apiKey: access.apiKey });
}

const writes = () => server.requests.filter((fields) => fields.get('Command')?.endsWith('setHosts'));

/** Every type that the documentation knows, one it does not, and texts that XML and forms write in other ways. */
const others = [
  { Name: '@', Type: 'A', Address: '198.51.100.1', TTL: '120' },
  { Name: '@', Type: 'MX', Address: 'mx1.example.net.', MXPref: '5', TTL: '3600' },
  { Name: '@', Type: 'MX', Address: 'mx2.example.net.', MXPref: '20' },
  { Name: '@', Type: 'TXT', Address: 'v=spf1 include:"a & b" <c> \'d\' +e=f%20 ü  -all' },
  { Name: '@', Type: 'CAA', Address: '0 issue "letsencrypt.org"' },
  { Name: 'old', Type: 'URL301', Address: 'https://example.net/?a=1&b=2' },
  { Name: 'frame', Type: 'FRAME', Address: 'http://example.net/' },
  { Name: '*', Type: 'CNAME', Address: 'elsewhere.example.net.' },
  { Name: 'ns', Type: 'NS', Address: 'ns1.example.net.' },
  { Name: '_sip._tcp', Type: 'SRV', Address: '10 5 5060 sip.example.net.' },
  { Name: 'odd', Type: 'HTTPS', Address: '1 . alpn="h2,h3"', TTL: '77' },
  { Name: 'www', Type: 'AAAA', Address: '2001:db8::1' },
];

test.each(['MX', 'OX', 'GMAIL'])(
  'a record at Namecheap is added after all others, which survive to the letter and in order (mail: %s)',
  async (emailType) => {
    const domain = server.addDomain('example.co.uk', others, { emailType });
    const before = structuredClone(domain.hosts);
    expect(await accountWith().pointName(zone, www)).toBe('created');
    const added = { Name: 'www', Type: 'A', Address: '203.0.113.7', MXPref: '10', TTL: '1799' };
    expect(domain.hosts).toEqual([...before, added]);
    expect(domain.emailType).toBe(emailType);
    expect(await accountWith().pointName(zone, www)).toBe('unchanged');
    expect(writes()).toHaveLength(1);
  },
);

test('a TXT record at Namecheap is added after all others and removed without them', async () => {
  const domain = server.addDomain(
    'example.co.uk',
    [...others, { Name: '_longshore.www', Type: 'TXT', Address: 'longshore=other' }],
    { emailType: 'MX' },
  );
  const before = structuredClone(domain.hosts);
  const record = { name: '_longshore.www.example.co.uk', value: 'longshore=abc' };
  let noted = 0;
  const add = () =>
    accountWith().addTxt(zone, record, async () => {
      noted += 1;
    });
  expect([await add(), await add(), noted]).toEqual(['created', 'unchanged', 1]);
  expect(domain.hosts).toEqual([
    ...before,
    { Name: '_longshore.www', Type: 'TXT', Address: 'longshore=abc', MXPref: '10', TTL: '1799' },
  ]);
  await accountWith().removeTxt(zone, record);
  await accountWith().removeTxt(zone, record);
  expect(domain.hosts).toEqual(before);
  expect(writes()).toHaveLength(2);
});

test('a record at Namecheap is changed in its place, its time to live kept', async () => {
  const domain = server.addDomain('example.co.uk', others, { emailType: 'MX' });
  const before = structuredClone(domain.hosts);
  expect(await accountWith().pointName(zone, { ...www, hostname: 'example.co.uk' })).toBe('updated');
  expect(domain.hosts).toEqual(
    before.map((host, index) => (index === 0 ? { ...host, Address: '203.0.113.7' } : host)),
  );
});

test('a record at Namecheap is refused where an alias, a redirect or several addresses are, and nothing is written', async () => {
  server.addDomain('example.co.uk', [
    { Name: 'www', Type: 'CNAME', Address: 'parkingpage.namecheap.com.' },
    { Name: '@', Type: 'URL', Address: 'http://www.example.co.uk/' },
    { Name: 'two', Address: '198.51.100.1' },
    { Name: 'two', Address: '198.51.100.2' },
  ]);
  const pointTo = (hostname: string) => accountWith().pointName(zone, { ...www, hostname });
  await expect(pointTo('www.example.co.uk')).rejects.toThrow(
    'CNAME record that points to parkingpage.namecheap.com.',
  );
  await expect(pointTo('example.co.uk')).rejects.toThrow(
    'URL record that points to http://www.example.co.uk/',
  );
  await expect(pointTo('two.example.co.uk')).rejects.toThrow('2 A records');
  expect(writes()).toHaveLength(0);
});

test('a record at Namecheap is refused where Namecheap does not answer for the domain', async () => {
  server.addDomain('example.co.uk', [], { isOurDns: false });
  await expect(accountWith().pointName(zone, www)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining("does not use Namecheap's name servers"),
  });
});

test('a record at Namecheap whose change lost another record is reported with what is missing', async () => {
  const domain = server.addDomain('example.co.uk', others, { emailType: 'MX' });
  const broken = domain.hosts.filter(({ Type }) => Type !== 'CAA');
  const account = accountWith();
  const hosts = Object.getOwnPropertyDescriptor(domain, 'hosts');
  Object.defineProperty(domain, 'hosts', {
    get: () => hosts?.value,
    // As if a record had been dropped on the way.
    set: () => Object.assign(hosts ?? {}, { value: broken }),
  });
  await expect(account.pointName(zone, www)).rejects.toMatchObject({
    code: 'provider_refused',
    message: expect.stringMatching(/some are missing now.*CAA @/),
  });
});

const answers: [string, string][] = [
  [
    'cut in the middle',
    '<ApiResponse Status="OK"><CommandResponse><DomainDNSGetHostsResult Domain="example.co.uk"',
  ],
  [
    'of another domain',
    '<ApiResponse Status="OK"><CommandResponse><DomainDNSGetHostsResult Domain="example.com" EmailType="MX" IsUsingOurDNS="true"/></CommandResponse></ApiResponse>',
  ],
  ['without a result', '<ApiResponse Status="OK"><CommandResponse/></ApiResponse>'],
  [
    'with a record that lacks a field',
    '<ApiResponse Status="OK"><CommandResponse><DomainDNSGetHostsResult Domain="example.co.uk" EmailType="MX" IsUsingOurDNS="true"><host Name="@" Type="A" MXPref="10" TTL="60"/></DomainDNSGetHostsResult></CommandResponse></ApiResponse>',
  ],
  ['a page of a proxy', '<html><body>Service busy<br></body></html>'],
  ['with an entity of its own', '<!DOCTYPE a [<!ENTITY x "y">]><ApiResponse Status="&x;"/>'],
  [
    'of more than one document',
    '<ApiResponse Status="OK"><CommandResponse><DomainDNSGetHostsResult Domain="example.co.uk" EmailType="MX" IsUsingOurDNS="true"/></CommandResponse></ApiResponse>more',
  ],
  ['empty', ''],
];
test.each(answers)(
  'what is read before a write is never taken for an empty list when it is %s',
  async (_, body) => {
    server.addDomain('example.co.uk', [{}]);
    server.answerNext('dns.getHosts', { body });
    await expect(accountWith().pointName(zone, www)).rejects.toMatchObject({
      code: 'unavailable',
      message: 'Namecheap answered in an unknown format.',
    });
    expect(writes()).toHaveLength(0);
  },
);

test('what is read before a write may be requested again when it failed on its way; a write is never repeated', async () => {
  const domain = server.addDomain('example.co.uk', [{}]);
  server.answerNext('dns.getHosts', { status: 502, body: 'busy' });
  expect(await accountWith().pointName(zone, www)).toBe('created');
  server.answerNext('dns.setHosts', { status: 502, body: 'busy' });
  const other = { ...www, hostname: 'other.example.co.uk' };
  await expect(accountWith().pointName(zone, other)).rejects.toMatchObject({
    message: 'Namecheap answered HTTP 502.',
  });
  expect(writes()).toHaveLength(2);
  expect(domain.hosts).toHaveLength(2);
});

test('the account at Namecheap is read page by page; the longest domain holds the name, split where Namecheap splits it', async () => {
  for (let number = 0; number < 230; number++) server.addDomain(`other${number}.com`);
  server.addDomain('example.co.uk');
  expect(await accountWith().findZone('www.example.co.uk')).toEqual(zone);
  expect(server.requests.map((fields) => fields.get('Page'))).toEqual(['1', '2', '3']);
  await accountWith().pointName(zone, www);
  expect([server.requests.at(-1)?.get('SLD'), server.requests.at(-1)?.get('TLD')]).toEqual([
    'example',
    'co.uk',
  ]);
  expect(await accountWith().findZone('www.example.org')).toBeUndefined();
});

test('the account at Namecheap is refused in its own words, with the address to allow, and the key is in no URL and no message', async () => {
  server.addDomain('example.co.uk');
  await expect(accountWith({ apiKey: 'wrong-canary' }).verify()).rejects.toMatchObject({
    code: 'provider_refused',
    message: 'Namecheap refused (1011102): API Key is invalid or API access has not been enabled.',
  });
  await expect(accountWith({ clientIp: '198.51.100.9' }).verify()).rejects.toMatchObject({
    message:
      'Namecheap refused (1011150): Invalid request IP: 198.51.100.9. Allow 198.51.100.9 there, under Profile > Tools > API Access.',
  });
  server.answerNext('getList', { body: refusal('2050900', `echo ${namecheapKey}`) });
  await expect(accountWith().verify()).rejects.toMatchObject({
    message: 'Namecheap refused (2050900): echo ***.',
  });
  expect(server.urls.every((url) => url === '/xml.response')).toBe(true);
});

test('the account at Namecheap that takes no more requests, or does not answer, is to be tried later', async () => {
  server.answerNext('getList', { body: refusal('500000', 'Too many requests') });
  await expect(accountWith().verify()).rejects.toMatchObject({
    code: 'unavailable',
    message: 'Namecheap accepts no more requests for now: try again later.',
  });
  server.answerNext('getList', 'silence');
  server.answerNext('getList', 'silence');
  const api = new NamecheapApi({ credentials, url: server.url, timeoutMs: 50 });
  await expect(api.listDomains()).rejects.toThrow('did not answer within 0.05 s');
});

test('the account at Namecheap is asked only what the protocol has, and an unknown question is not quoted', async () => {
  const call = { method: 'register-domain', domain: 'example.com' };
  const other = answerNamecheap(JSON.stringify({ credentials, call }), server.url);
  await expect(other).rejects.toThrow(/^This version of the runner cannot read the request to Namecheap/);
  const cut = answerNamecheap(JSON.stringify({ credentials }).slice(0, -5), server.url);
  await expect(cut).rejects.toThrow(/^This version of the runner cannot read the request to Namecheap/);
  expect(server.requests).toHaveLength(0);
});
