/** What the host says of versions that do not serve as they should: before the switch, and after it. */
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import type { DeploySpec } from '../../../../protocol/job-spec.ts';
import { ExitHistory, watchContainers } from '../../../../runner/docker/events.ts';
import { loggedContainers } from '../../../../runner/docker/follow-log.ts';
import { Troubles } from '../../../../runner/docker/troubles.ts';
import { observe } from '../../../../runner/host/observe.ts';
import { deployLimits } from '../../../../runner/jobs/parts/deploy-limits.ts';
import { stable, temporary, webApp } from '../../../support/docker/deploy-fixture.ts';
import { inspect } from '../../../support/docker/docker-host.ts';
import { useDeployFixture } from '../../../support/docker/use-scenes.ts';
import { testContext } from '../../../support/runner/job-context.ts';

const fixture = useDeployFixture();
let troubles: Troubles;

beforeAll(async () => {
  fixture.parts.limits = { ...deployLimits, healthTimeoutMs: 4_000 };
  troubles = new Troubles(fixture.host.docker);
});

/** Answers, and does what the path of a request says. */
const server = `
  require('node:http').createServer(({ url }, response) => {
    if (url === '/exit') { console.log('giving up ' + process.env.MODE + ' with ' + process.env.PASSWORD); process.exit(7); }
    if (url === '/eat') for (const eaten = []; ; ) eaten.push(Buffer.alloc(1e6, 1));
    if (url === '/sick') require('node:fs').writeFileSync('/tmp/sick', '');
    if (url === '/well') require('node:fs').rmSync('/tmp/sick');
    if (url === '/doom') require('node:fs').writeFileSync('/tmp/doomed', '');
    response.end('ok');
  }).listen(process.env.PORT);
  if (require('node:fs').existsSync('/tmp/doomed')) { console.log('doomed again'); process.exit(9); }
`;
const check = 'test ! -e /tmp/sick || { echo feeling sick; exit 1; }';
const dockerfile = (more = '') =>
  `FROM node:24-slim\nCOPY server.js .\nUSER node\n${more}\nCMD ["node", "server.js"]\n`;

async function deployed(more: Partial<DeploySpec>, files: Record<string, string>) {
  fixture.commit('app', files);
  const spec = fixture.spec({ source: fixture.gitSource('app'), ...more });
  const secrets = { env: { PASSWORD: 'correct-horse', MODE: 'in-plain-words' }, secretKeys: ['PASSWORD'] };
  const { result, context } = await fixture.deploy(spec, { secrets });
  return { spec, result, context };
}

const ask = (spec: DeploySpec, path: string) => {
  const target = fixture.traffic.current(spec.serviceId)?.target;
  if (target?.type !== 'container') throw new Error('no container is routed');
  return fetch(`http://${target.address}:${target.port}${path}`).catch(() => undefined);
};

const seen = async ({ serviceId }: DeploySpec) =>
  (await observe({ ...fixture.parts, troubles })).find((one) => one.serviceId === serviceId);

test('a wrong port is in the log once while the deployment waits, and the right port may still open', async () => {
  const opensOnRequest = `
    const { createServer } = require('node:http');
    const right = createServer((_, response) => response.end('right'));
    createServer((_, response) => right.listen(process.env.PORT, () => response.end())).listen(3000);`;
  fixture.commit('app', { 'server.js': opensOnRequest, Dockerfile: dockerfile() });
  const health = { healthCheckStartPeriodSeconds: 30 };
  const spec = fixture.spec({ source: fixture.gitSource('app'), health });
  const context = testContext();
  const deployment = fixture.deploy(spec, { context });
  const opened = context.printed(/internalPort is 8080.*answers yet.*listens on 3000\./).then(async () => {
    const { NetworkSettings } = await inspect(fixture.host.docker, temporary(spec));
    await fetch(`http://${Object.values(NetworkSettings.Networks)[0]?.IPAddress}:3000/`);
  });
  // A deployment that ends first has written no such line.
  const { result } = await Promise.race([deployment, opened.then(() => deployment)]);
  expect(result.outcome, context.text()).toBe('succeeded');
  expect(context.text().match(/answers yet/g)).toHaveLength(1);
});

test("the image's HEALTHCHECK runs at once, not after its interval", async () => {
  const startedAt = performance.now();
  const { result, context } = await deployed(
    {},
    { Dockerfile: dockerfile(`HEALTHCHECK --interval=60s CMD ${check}`), 'server.js': server },
  );
  expect(result.outcome, context.text()).toBe('succeeded');
  expect(context.text()).toContain('The HEALTHCHECK of the image succeeds.');
  expect(performance.now() - startedAt).toBeLessThan(30_000);
});

test.each([
  ['shell form', 'HEALTHCHECK CMD echo no database >&2; exit 3', 'exit code 3 and printed: no database.'],
  ['exec form', 'HEALTHCHECK CMD ["node", "-e", "process.exit(4)"]', 'exit code 4.'],
])('a version that fails its HEALTHCHECK never serves (%s)', async (_, line, words) => {
  const { spec, result } = await deployed({}, { Dockerfile: dockerfile(line), 'server.js': server });
  expect(result).toEqual({
    outcome: 'threw',
    code: 'health_failed',
    message: `The HEALTHCHECK of the image does not succeed: it ended with ${words}`,
  });
  expect(fixture.traffic.current(spec.serviceId)).toBeUndefined();
});

test('HEALTHCHECK NONE counts as no check', async () => {
  const { result, context } = await deployed(
    {},
    { ...webApp('x'), Dockerfile: `${webApp('x').Dockerfile}HEALTHCHECK NONE\n` },
  );
  expect(result.outcome, context.text()).toBe('succeeded');
});

test('a live version whose HEALTHCHECK begins to fail is not reachable, until it succeeds again', async () => {
  const line = `HEALTHCHECK --interval=1s --retries=1 CMD ${check}`;
  const { spec } = await deployed({}, { Dockerfile: dockerfile(line), 'server.js': server });
  await expect
    .poll(() => seen(spec), { timeout: 10_000 })
    .toMatchObject({ state: 'running', reachable: true });
  await ask(spec, '/sick');
  await expect
    .poll(() => seen(spec), { timeout: 10_000 })
    .toMatchObject({
      state: 'running',
      reachable: false,
      trouble: { sentence: 'The container runs, but the HEALTHCHECK of its image fails.' },
    });
  await ask(spec, '/well');
  await expect.poll(() => seen(spec), { timeout: 10_000 }).toMatchObject({ reachable: true });
  expect(await seen(spec)).not.toHaveProperty('trouble');
});

test('a crash loop counts as crashed even while it runs, and is reported once with its exit code and its last lines, in which secrets alone are masked', async () => {
  const { spec } = await deployed({}, { Dockerfile: dockerfile(), 'server.js': server });
  await ask(spec, '/doom');
  expect(await seen(spec)).not.toHaveProperty('trouble');
  await ask(spec, '/exit');
  const restarts = async () => (await inspect(fixture.host.docker, stable(spec))).RestartCount;
  await expect.poll(restarts, { timeout: 20_000 }).toBeGreaterThan(3);
  const first = await seen(spec);
  expect(first).toMatchObject({ state: 'crashed', reachable: false });
  expect(first?.trouble?.sentence).toBe(
    'The container ended with exit code 9. Docker restarts it with growing pauses.',
  );
  expect(first?.trouble?.lastLines.slice(0, 2)).toEqual([
    'giving up in-plain-words with ***',
    'doomed again',
  ]);
  const count = await restarts();
  await expect.poll(restarts, { timeout: 20_000 }).toBeGreaterThan(count);
  expect(await seen(spec)).toEqual(first);
});

test('a version killed for lack of memory is reported with its limit', async () => {
  const { spec } = await deployed({ memoryLimitMb: 64 }, { Dockerfile: dockerfile(), 'server.js': server });
  const container = fixture.host.docker.engine.getContainer(stable(spec));
  await container.update({ RestartPolicy: { Name: 'no' } });
  await ask(spec, '/eat');
  await expect
    .poll(() => seen(spec), { timeout: 20_000 })
    .toMatchObject({
      state: 'crashed',
      reachable: false,
      trouble: { sentence: 'The container ran out of memory (limit 64 MB) and was killed.' },
    });
});

test.each([
  {
    path: '/exit',
    sentence: 'The container ended with exit code 7.',
    crash: { exitCode: 7, outOfMemory: false },
  },
  {
    path: '/eat',
    sentence: 'The container ran out of memory (limit 64 MB) and was killed.',
    crash: { exitCode: 137, outOfMemory: true },
  },
])(
  'a version that ended once ($path) and runs again is in trouble for an hour, and its log has the end; a wanted stop is no end',
  async ({ path, sentence, crash }) => {
    const { docker } = fixture.host;
    const exits = new ExitHistory();
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    void watchContainers(docker, exits, () => {}, stop.signal);
    troubles = new Troubles(docker, exits);
    const { spec } = await deployed({ memoryLimitMb: 64 }, { Dockerfile: dockerfile(), 'server.js': server });
    await docker.engine.getContainer(stable(spec)).restart({ t: 1 });
    await expect
      .poll(() => seen(spec), { timeout: 20_000 })
      .toMatchObject({ state: 'running', reachable: true });
    expect(await seen(spec)).not.toHaveProperty('trouble');
    await ask(spec, path);
    await expect
      .poll(() => seen(spec), { timeout: 20_000 })
      .toMatchObject({
        state: 'running',
        reachable: true,
        trouble: { sentence: expect.stringContaining(`${sentence} That was at 20`), crash },
      });
    expect(await loggedContainers(docker, spec.serviceId, { exits })).toMatchObject([
      { exits: [{ sentence: `${sentence} Docker restarts it.` }] },
    ]);
  },
);

/** Like Django with ALLOWED_HOSTS and SECURE_SSL_REDIRECT: 400 for other names, and 400 without HTTPS. */
const strictServer = (name: string) => `
  require('node:http').createServer(({ headers }, response) => {
    const isRight = headers.host === '${name}' && headers['x-forwarded-proto'] === 'https';
    response.writeHead(isRight ? 200 : 400).end();
  }).listen(process.env.PORT);`;
const strict = { healthCheckPath: '/' };

test('an app that allows only its own domain, by HTTPS, is healthy under the domain that visitors use', async () => {
  const domain = { hostname: 'shop.example.com', isCustom: true, isActive: true };
  const generated = { hostname: 'shop.localhost', isCustom: false, isActive: true };
  const names = { revision: 1, names: [generated, domain], publicIp: null };
  const files = { 'server.js': strictServer(domain.hostname), Dockerfile: dockerfile() };
  const hostnames = [generated.hostname, domain.hostname];
  const { result } = await deployed({ ...strict, hostnames, names }, files);
  expect(result).toMatchObject({ outcome: 'succeeded' });
});

test('an app that answers to another name is healthy with healthCheckHost', async () => {
  const files = { 'server.js': strictServer('ready.internal'), Dockerfile: dockerfile() };
  const hostnames = ['shop.example.com'];
  const other = await deployed({ ...strict, hostnames }, files);
  expect(other.result).toMatchObject({ code: 'health_failed', message: expect.stringContaining('400') });
  const health = { healthCheckHost: 'ready.internal' };
  expect((await deployed({ ...strict, hostnames, health }, files)).result).toMatchObject({
    outcome: 'succeeded',
  });
});

test('an app that speaks HTTP/2 without TLS is healthy, and its route says so', async () => {
  const http2Server = `require('node:http2').createServer((_, response) => response.end('ok')).listen(process.env.PORT);`;
  const files = { 'server.js': http2Server, Dockerfile: dockerfile() };
  const { spec, result } = await deployed({ ...strict, container: { protocol: 'h2c' } }, files);
  expect(result).toMatchObject({ outcome: 'succeeded' });
  expect(fixture.traffic.current(spec.serviceId)?.target).toMatchObject({ protocol: 'h2c' });
});
