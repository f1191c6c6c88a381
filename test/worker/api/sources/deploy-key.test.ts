/** Deploy keys: made by the platform, shown as their public part, never as their private one. */
import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { publicKeyLine, publicPartOf } from '../../../../worker/domain/sources/ssh-key.ts';
import { gitTokenPlace } from '../../../../worker/security/secret-places.ts';
import { services } from '../../../../worker/store/schema/services.ts';
import { deps } from '../../../support/worker/api.ts';
import { serviceBench } from '../../../support/worker/services.ts';

const bench = await serviceBench();

const made = () => bench.created({ name: 'Private', repoUrl: 'git@git.example.com:owner/app.git' });
const call = (method: string, id: string) =>
  bench.call(method, `/api/services/${id}/deploy-key`, { token: bench.token });

async function stored(id: string): Promise<string> {
  const [row] = await deps.db.select().from(services).where(eq(services.id, id));
  const { wrappedDataKey, id: projectId } = bench.project;
  return deps.envelope.open(wrappedDataKey, projectId, gitTokenPlace(id), row?.sealedGitToken ?? '');
}

test('the short ssh URL of git hosts is accepted and returned as written', async () => {
  expect((await made()).repoUrl).toBe('git@git.example.com:owner/app.git');
});

test('a deploy key is created, its private part is stored sealed, and only its public part is ever shown', async () => {
  const { id } = await made();
  expect((await call('GET', id)).body).toEqual({ deployKey: null });
  const reply = await call('POST', id);
  expect(reply.status).toBe(200);
  expect(reply.body.deployKey).toEqual({
    publicKey: expect.stringMatching(
      new RegExp(`^ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA[\\w+/]+ longshore-${id}$`),
    ),
    fingerprint: expect.stringMatching(/^SHA256:[\w+/]{43}$/),
  });
  const text = await stored(id);
  const part = publicPartOf(text);
  expect(part && publicKeyLine(part, `longshore-${id}`)).toBe(reply.body.deployKey.publicKey);
  expect((await call('GET', id)).body).toEqual(reply.body);
  const { service } = await bench.overview(id);
  expect(service.hasGitHostToken).toBe(true);
  const [, secret = ''] = text.split('\n').slice(1);
  expect(reply.text + JSON.stringify(service)).not.toContain(secret);
});

test('a new key replaces the old one, and "gitToken": null removes it', async () => {
  const { id } = await made();
  const first = await call('POST', id);
  const second = await call('POST', id);
  expect(second.body.deployKey.fingerprint).not.toBe(first.body.deployKey.fingerprint);
  await bench.patch(id, { gitToken: null });
  expect((await call('GET', id)).body).toEqual({ deployKey: null });
});

test("PATCH stores a user's own key and shows its public part; a token shows none", async () => {
  const { id } = await made();
  await call('POST', id);
  const own = await stored(id);
  const other = await made();
  expect((await bench.patch(other.id, { gitToken: own })).status).toBe(200);
  const { publicKey } = (await call('GET', other.id)).body.deployKey;
  expect(publicKey.split(' ')[1]).toBe((await call('GET', id)).body.deployKey.publicKey.split(' ')[1]);
  await bench.patch(other.id, { gitToken: 'ghp_token' });
  expect((await call('GET', other.id)).body).toEqual({ deployKey: null });
});

test.each([
  ['another format', '-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----'],
  [
    'half a key',
    '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA\n-----END OPENSSH PRIVATE KEY-----',
  ],
])('%s is refused, with the format that is taken', async (_, gitToken) => {
  const { id } = await made();
  const reply = await bench.patch(id, { gitToken });
  expect(reply.status).toBe(400);
  expect(reply.text).toMatch(/gitToken.*OpenSSH format without a passphrase/);
  expect(reply.text).not.toContain('b3Blbn');
});

test('a service without a repository has no deploy key', async () => {
  const { id } = await bench.created({ name: 'image', repoUrl: 'container-image', imageRef: 'nginx' });
  for (const method of ['GET', 'POST']) {
    const reply = await call(method, id);
    expect([reply.status, reply.body.error]).toEqual([400, expect.stringContaining('no repository')]);
  }
});
