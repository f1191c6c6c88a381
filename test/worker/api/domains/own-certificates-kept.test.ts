/**
 * Certificates that owners bring along: kept by moves, deletions and restores, and told when they end or can't be decrypted.
 * @module-tag slow
 */
import { env } from 'cloudflare:workers';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { requestPlace } from '../../../../protocol/sealed-box.ts';
import { ownCertificateOperation } from '../../../../protocol/traffic/own-certificate.ts';
import { watchStanding } from '../../../../worker/usecases/alerts/watch-alerts.ts';
import { type TestCa, testCa } from '../../../support/issued-certificate.ts';
import { createClient, deps, insertKey, type Json } from '../../../support/worker/api.ts';
import { answerNames, newName, see } from '../../../support/worker/domains.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { newHost } from '../../../support/worker/host.ts';
import { answered, succeed } from '../../../support/worker/moving-service.ts';

const call = createClient();
const dayMs = 86_400_000;
let ca: TestCa;

beforeAll(async () => {
  ca = await testCa();
});
beforeEach(() => env.DB.exec('delete from alerts'));

/** A running service whose domain has a certificate of its own. */
async function certified({ until = 60 } = {}) {
  const { token } = await insertKey();
  const host = await newHost();
  const runner = await FakeRunner.connect(host.keys);
  const service = await host.addService();
  const ask = (method: string, path: string, body?: unknown) =>
    call(method, `/api/services/${service.id}${path}`, { token, ...(body === undefined ? {} : { body }) });
  const hostname = newName();
  const overview = async (): Promise<Json> => (await ask('GET', '/overview')).body;
  await Promise.all([ask('POST', '/domains', { hostname }), answerNames(runner)]);
  const [{ id }] = (await overview()).domains;
  const at = `/domains/${id}/certificate`;
  const give = async (days = until) => {
    const { chain, key } = await ca.issue([hostname], { until: days });
    const [reply, task] = await Promise.all([
      ask('PUT', at, { certificate: chain, privateKey: key }),
      answerNames(runner),
    ]);
    return { fingerprint: reply.body.ownCertificate.fingerprint as string, key, task };
  };
  const given = await give();
  await ask('POST', '/deployments');
  await succeed(runner, await runner.next('start'), { imageTag: 'first' });
  return { host, runner, service, ask, hostname, overview, at, give, given, domainId: id as string };
}

const certificateIn = (names: readonly Json[] | undefined, hostname: string): Json =>
  names?.find((name) => name.hostname === hostname)?.certificate;

const opened = (runner: FakeRunner, hostname: string, sealed: string) =>
  runner
    .openText(sealed, requestPlace(runner.runnerId, ownCertificateOperation(hostname)))
    .then((text) => JSON.parse(text));

async function alerts(hostname: string, now = Date.now()): Promise<string[]> {
  await watchStanding({ ...deps, now: () => now });
  const { results } = await env.DB.prepare(
    "select detail from alerts where rule = 'certificate' and resolved_at is null and detail like ?",
  )
    .bind(`%${hostname}%`)
    .all<{ detail: string }>();
  return results.map(({ detail }) => detail);
}

/** What was sealed with a key that is lost: no host has a box of it any more, and it can't be decrypted. */
const damage = (domainId: string) =>
  env.DB.prepare(
    "update own_certificates set boxes = '{}', sealed_certificate = 'v2.AAAA.AAAA' where domain_id = ?",
  )
    .bind(domainId)
    .run();

test('a moved service has its certificate on the new host, sealed for that host alone, and keeps it through later changes', async () => {
  const { ask, hostname, given, runner: oldRunner, service } = await certified();
  const next = await newHost();
  const nextRunner = await FakeRunner.connect(next.keys);
  await ask('PATCH', '', { runnerId: next.runnerId });
  await ask('POST', '/deployments');
  const start = await nextRunner.nextDeployment();
  const certificate = certificateIn(start.spec.names?.names, hostname);
  expect(certificate.fingerprint).toBe(given.fingerprint);
  expect((await opened(nextRunner, hostname, certificate.sealed)).privateKey).toBe(given.key);
  await expect(opened(oldRunner, hostname, certificate.sealed)).rejects.toThrow();
  expect(start.spec.warnings).toEqual([]);
  await succeed(nextRunner, start, { imageTag: 'second' });
  expect(await answered(oldRunner)).toMatchObject({ kind: 'remove-service', serviceId: service.id });
  const [, task] = await Promise.all([
    ask('POST', '/domains', { hostname: newName() }),
    answerNames(nextRunner),
  ]);
  const later = certificateIn(task.names, hostname);
  expect((await opened(nextRunner, hostname, later.sealed)).privateKey).toBe(given.key);
  expect(await alerts(hostname)).toEqual([]);
});

test('a service that is deleted and restored has its certificate again', async () => {
  const { ask, hostname, given, runner, at } = await certified();
  const deleting = ask('DELETE', '');
  await answered(runner);
  await deleting;
  expect((await ask('GET', at)).status).toBe(404);
  expect(await alerts(hostname, Date.now() + 59 * dayMs)).toEqual([]);
  expect((await ask('POST', '/restore')).status).toBe(200);
  const start = await runner.nextDeployment();
  const certificate = certificateIn(start.spec.names?.names, hostname);
  expect(certificate.fingerprint).toBe(given.fingerprint);
  expect((await opened(runner, hostname, certificate.sealed)).privateKey).toBe(given.key);
  expect((await ask('GET', at)).body.ownCertificate.fingerprint).toBe(given.fingerprint);
});

test('a certificate that can not be decrypted is told in the log of the deployment and by an alert until it is given again', async () => {
  const { ask, hostname, runner, domainId, give } = await certified();
  await damage(domainId);
  await ask('POST', '/deployments');
  const start = await runner.nextDeployment();
  expect(certificateIn(start.spec.names?.names, hostname)).toMatchObject({ sealed: null });
  expect(start.spec.warnings).toEqual([
    expect.stringContaining(`The certificate that was given for ${hostname} can't be decrypted`),
  ]);
  await succeed(runner, start, { imageTag: 'second' });
  const told = [`The certificate that was given for ${hostname} is not on its host: give it again.`];
  expect(await alerts(hostname)).toEqual(told);
  await give();
  expect(await alerts(hostname)).toEqual([]);
  await ask('POST', '/deployments');
  const { spec } = await runner.nextDeployment();
  expect([spec.warnings, certificateIn(spec.names?.names, hostname).sealed]).toEqual([
    [],
    expect.stringMatching(/^[\w-]{500,}$/),
  ]);
});

test('a certificate of its owner is told 30 days before its end, an automatic one 7, and a renewal by upload ends the alert', async () => {
  const { runner, hostname, overview, give, at, ask } = await certified({ until: 31 });
  const automatic = newName();
  await Promise.all([ask('POST', '/domains', { hostname: automatic }), answerNames(runner)]);
  const inDays = (days: number) => Date.now() + days * dayMs;
  for (const [name, days] of [
    [hostname, 31],
    [automatic, 8],
  ] as const) {
    const expiresAt = Math.floor(inDays(days));
    see(runner, { hostname: name, certificate: { state: 'issued', expiresAt, detail: '' } });
    await answerNames(runner);
  }
  const shown = (await overview()).domains.map(({ hostname: name, certificate }: Json) => [
    name,
    certificate.state,
  ]);
  expect(shown).toEqual([
    [hostname, 'issued'],
    [automatic, 'issued'],
  ]);
  expect([await alerts(hostname), await alerts(automatic)]).toEqual([[], []]);
  const ending = await alerts(hostname, inDays(2));
  expect(ending).toEqual([
    expect.stringMatching(/^The certificate that was given for .* ends on 20\d\d-.*: replace it\.$/),
  ]);
  expect(await alerts(automatic, inDays(2))).toEqual([expect.stringContaining('was not renewed')]);
  const { fingerprint, task } = await give(90);
  expect(certificateIn(task.names, hostname).fingerprint).toBe(fingerprint);
  expect((await ask('GET', at)).body.ownCertificate.fingerprint).toBe(fingerprint);
  expect(await alerts(hostname, inDays(2))).toEqual([]);
});
