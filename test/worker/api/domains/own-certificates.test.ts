/**
 * Certificates that owners bring along, through the API: what is accepted, what the host is told, and that no key comes back.
 * @module-tag slow
 */
import { env } from 'cloudflare:workers';
import { beforeAll, expect, test } from 'vitest';
import { type IssueOptions, type TestCa, testCa } from '../../../support/issued-certificate.ts';
import { answerNames, connectedHost, domainClient, newName } from '../../../support/worker/domains.ts';

const { call, token, add, rename, domainOf } = await domainClient();
const path = (serviceId: string, domainId: string) =>
  `/api/services/${serviceId}/domains/${domainId}/certificate`;
let ca: TestCa;

beforeAll(async () => {
  ca = await testCa();
});

async function domainOn(
  { runner, service }: Awaited<ReturnType<typeof connectedHost>>,
  hostname = newName(),
) {
  await Promise.all([add(service.id, hostname), answerNames(runner)]);
  const domain = await domainOf(service.id);
  const at = path(service.id, domain.id);
  return {
    domain,
    hostname: domain.hostname as string,
    get: async () => (await call('GET', at, { token })).body.ownCertificate,
    put: (body: unknown) => call('PUT', at, { token, body }),
    remove: () => call('DELETE', at, { token }),
  };
}

test('a certificate goes to the host sealed, is shown without its key, and leaves with its removal', async () => {
  const host = await connectedHost();
  const { hostname, get, put, remove } = await domainOn(host);
  const { chain, key } = await ca.issue([hostname, 'www.example.com']);
  expect(await get()).toBeNull();
  const [reply, task] = await Promise.all([
    put({ certificate: `subject=CN = leaf\r\n${chain.replaceAll('\n', '\r\n')}`, privateKey: key }),
    answerNames(host.runner),
  ]);
  expect(reply.body).toMatchObject({
    ok: true,
    proxy: { ok: true, detail: 'answered' },
    ownCertificate: {
      names: [hostname, 'www.example.com'],
      issuer: 'Test CA',
      keyType: 'EC P-256',
      chainLength: 2,
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
    },
  });
  const { fingerprint } = reply.body.ownCertificate;
  const told = task.names.find((name) => name.hostname === hostname);
  expect(told?.certificate).toEqual({ fingerprint, sealed: expect.stringMatching(/^[\w-]{500,}$/) });
  expect(await get()).toEqual(reply.body.ownCertificate);
  const secret = key.split('\n')[1] ?? '-';
  const rows = await env.DB.prepare('select * from own_certificates').all();
  expect(JSON.stringify([reply.body, task, rows.results])).not.toContain(secret);
  const [removed, last] = await Promise.all([remove(), answerNames(host.runner)]);
  expect([removed.body.ok, last.names.find((name) => name.hostname === hostname)]).toEqual([
    true,
    { hostname, isCustom: true, isActive: false },
  ]);
  expect(await get()).toBeNull();
});

test('a domain that is renamed has an automatic certificate again', async () => {
  const host = await connectedHost();
  const { domain, hostname, get, put } = await domainOn(host);
  const { chain, key } = await ca.issue([hostname]);
  await Promise.all([put({ certificate: chain, privateKey: key }), answerNames(host.runner)]);
  const [, task] = await Promise.all([
    rename(host.service.id, domain.id, newName()),
    answerNames(host.runner),
  ]);
  expect(task.names.flatMap(({ certificate }) => certificate ?? [])).toEqual([]);
  expect(await get()).toBeNull();
});

/** The key in the form of before PKCS #8, which is inside of it. */
function older(pem: string, label: string): string {
  const der = Uint8Array.from(atob(pem.replace(/-----[^-]+-----|\s/g, '')), (one) => one.charCodeAt(0));
  const contentOf = (at: number) => at + 2 + ((der[at + 1] ?? 0) < 0x80 ? 0 : (der[at + 1] ?? 0) & 0x7f);
  const algorithm = contentOf(0) + 3;
  const inner = contentOf(algorithm + 2 + (der[algorithm + 1] ?? 0));
  const lines = btoa(String.fromCharCode(...der.subarray(inner))).match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

test.each<[NonNullable<IssueOptions['key']>, 'pkcs8' | 'pkcs1' | 'sec1', string]>([
  ['RSA 2048', 'pkcs8', 'RSA 2048'],
  ['RSA 2048', 'pkcs1', 'RSA 2048'],
  ['P-256', 'sec1', 'EC P-256'],
  ['P-384', 'sec1', 'EC P-384'],
])('a key %s in the form %s is accepted, and *.name covers one label', async (kind, form, keyType) => {
  const host = await connectedHost();
  const { hostname, put } = await domainOn(host);
  const issued = await ca.issue([`*${hostname.slice(hostname.indexOf('.'))}`], { key: kind });
  const label = form === 'pkcs1' ? 'RSA PRIVATE KEY' : 'EC PRIVATE KEY';
  const privateKey = form === 'pkcs8' ? issued.key : older(issued.key, label);
  const [reply] = await Promise.all([
    put({ certificate: issued.leaf, privateKey }),
    answerNames(host.runner),
  ]);
  expect(reply.body.ownCertificate).toMatchObject({ keyType, chainLength: 1 });
});

test.each<
  [string, (hostname: string) => Promise<{ certificate: string; privateKey: string }>, string, RegExp]
>([
  ['no PEM', async () => ({ certificate: 'x', privateKey: 'y' }), 'certificate', /has no certificate/],
  [
    'a damaged one',
    async () => ({
      certificate: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
      privateKey: 'y',
    }),
    'certificate',
    /can not be read/,
  ],
  [
    'one of another name',
    (name) => bodyOf([`www.${name}`, 'a.b']),
    'certificate',
    /is not for name-.*www\.name-/,
  ],
  ['one that has ended', (name) => bodyOf([name], { from: -9, until: -1 }), 'certificate', /ended on 20/],
  ['one of tomorrow', (name) => bodyOf([name], { from: 1, until: 9 }), 'certificate', /valid only from 20/],
  ['a short RSA key', (name) => bodyOf([name], { key: 'RSA 1024' }), 'certificate', /RSA with 1024 bits/],
  ['a signature that browsers refuse', (name) => bodyOf([name], { hash: 'SHA-1' }), 'certificate', /SHA-1/],
  ['a curve that browsers refuse', (name) => bodyOf([name], { key: 'P-521' }), 'certificate', /P-521/],
  [
    'a chain in the wrong order',
    async (name) => ({ ...(await bodyOf([name])), certificate: (await ca.issue([name])).leaf + ca.root }),
    'certificate',
    /wrong order: certificate 2/,
  ],
  [
    'the key of another certificate',
    async (name) => ({ ...(await bodyOf([name])), privateKey: (await ca.issue([name])).key }),
    'privateKey',
    /does not belong/,
  ],
  [
    'an encrypted key',
    async (name) => ({
      ...(await bodyOf([name])),
      privateKey: '-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----',
    }),
    'privateKey',
    /openssl pkey/,
  ],
  [
    'no key',
    async (name) => ({ ...(await bodyOf([name])), privateKey: 'x' }),
    'privateKey',
    /has no private key/,
  ],
  [
    'the key beside the certificate',
    async (name) => {
      const { chain, key } = await ca.issue([name]);
      return { certificate: chain + key, privateKey: key };
    },
    'certificate',
    /has a private key/,
  ],
  [
    'a text that is too long',
    async (name) => ({ ...(await bodyOf([name])), certificate: 'x'.repeat(40_000) }),
    'certificate',
    /too long/,
  ],
])(
  '%s is refused with the field and the reason, and nothing is stored',
  async (_what, make, field, reason) => {
    const host = await connectedHost();
    const { hostname, get, put } = await domainOn(host);
    const { status, body } = await put(await make(hostname));
    expect([status, body.code, body.error]).toEqual([400, 'invalid_request', expect.stringMatching(reason)]);
    expect(body.error).toContain(`"${field}"`);
    expect(await get()).toBeNull();
  },
);

async function bodyOf(names: string[], options?: IssueOptions) {
  const { chain, key } = await ca.issue(names, options);
  return { certificate: chain, privateKey: key };
}
