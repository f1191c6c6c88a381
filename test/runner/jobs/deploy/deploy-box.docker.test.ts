/** A tenant's Dockerfile stays in its box: what Docker is made to do for it, with the real daemon. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { DeploySpec } from '../../../../protocol/job-spec.ts';
import { systemClock } from '../../../../runner/base/clock.ts';
import { createDatabaseTls } from '../../../../runner/database-tls/database-tls.ts';
import { renewCertificates } from '../../../../runner/database-tls/renew-certificates.ts';
import { stable, temporary } from '../../../support/docker/deploy-fixture.ts';
import { inspect, testId } from '../../../support/docker/docker-host.ts';
import { useDeployFixture } from '../../../support/docker/use-scenes.ts';

const fixture = useDeployFixture();
let server: Server;
let origin: string;
let agents: (string | undefined)[];

beforeAll(async () => {
  server = createServer((request, response) => {
    agents.push(request.headers['user-agent']);
    response.end('from a url');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

beforeEach(() => {
  agents = [];
});

afterAll(async () => {
  server?.close();
});

/** A worker, so that nothing has to answer. */
const worker = (more: Partial<DeploySpec> = {}) =>
  fixture.spec({ runtimeMode: 'worker', hostnames: [], ...more });

const command =
  'CMD ["node", "-e", "setInterval(() => {}, 1000); process.on(\'SIGTERM\', () => process.exit(0))"]';

async function build(
  name: string,
  lines: string[],
  more: Partial<DeploySpec> = {},
  files: Record<string, string> = {},
) {
  fixture.commit(name, { Dockerfile: [...lines, command, ''].join('\n'), ...files });
  const spec = worker({ source: fixture.gitSource(name), ...more });
  const { result, context } = await fixture.deploy(spec);
  return { spec, result, log: context.text() };
}

const imagesOf = async ({ serviceId }: DeploySpec) => {
  const found = await fixture.host.docker.engine.listImages({
    filters: { reference: [`longshore-${serviceId}-*`] },
  });
  return found.flatMap(({ RepoTags }) => RepoTags ?? []);
};

test('files of URLs and here-documents are added by the runner, and are in no other copy of the context', async () => {
  const { spec, result, log } = await build(
    'added',
    [
      '# syntax=docker/dockerfile:1',
      'FROM node:24-slim AS files',
      'ENV NAME=world',
      `ADD --chown=1000:1000 ${origin}/a.txt /to/`,
      `ADD --link ${origin}/b.tgz /other`,
      'COPY <<greeting /to/',
      'hello $NAME',
      'greeting',
      'COPY . /context',
      'RUN <<EOF',
      'set -e',
      'stat -c "%a %u %n" /to/a.txt /other /to/greeting',
      'cat /to/a.txt /to/greeting',
      'find /context -type f',
      'EOF',
      'RUN <<EOF',
      '#!/usr/bin/env node',
      'console.log("from", 1 + 1, "scripts")',
      'EOF',
      'FROM files',
    ],
    {},
    { 'a file': '' },
  );
  expect(result.outcome, log).toBe('succeeded');
  expect(log).toContain('"# syntax=docker/dockerfile:1" is not loaded');
  expect(log).toContain('600 1000 /to/a.txt\n');
  expect(log).toContain('600 0 /other\n');
  expect(log).toContain('644 0 /to/greeting\n');
  expect(log).toMatch(/from a url ?hello world/);
  expect(log).toContain('from 2 scripts');
  expect(log.match(/^.*\/context\/.*$/gm)).toHaveLength(2);
  expect(log).toContain('FROM node:24-slim');
  expect(agents).toEqual([undefined, undefined]); // Docker says "Go-http-client"
  expect(await imagesOf(spec)).toEqual([`${temporary(spec)}:latest`]);
  const again = await fixture.deploy(worker({ ...spec, deploymentId: testId('deployment') }));
  expect(again.result.outcome, again.context.text()).toBe('succeeded');
  expect(again.context.text()).toContain('(cached)');
  expect(agents).toHaveLength(4);
});

test('a program of the tenant’s is not loaded as a frontend, and images of others are not built upon', async () => {
  const victim = await build('victim', ['FROM node:24-slim', 'RUN echo secret > /secret']);
  expect(victim.result.outcome, victim.log).toBe('succeeded');
  const foreign = temporary(victim.spec);
  for (const lines of [
    [`# syntax=${foreign}`, 'FROM node:24-slim'],
    [`FROM ${foreign}`],
    ['FROM node:24-slim', `COPY --from=${foreign} /secret /secret`],
    ['FROM node:24-slim', `RUN --mount=type=bind,from=${foreign},target=/x cat /x/secret`],
  ]) {
    const { result, log } = await build('thief', lines);
    expect(result, log).toMatchObject({ code: 'source_refused' });
    expect(log).not.toContain('secret\n');
  }
});

test('a trigger of a base image does not fetch what its Dockerfile may not', async () => {
  const { engine } = fixture.host.docker;
  const base = `longshore-test-${testId('service').replace('_', '-')}`;
  const container = await engine.createContainer({ Image: 'node:24-slim' });
  await container.commit({ repo: base, tag: '1', changes: `ONBUILD ADD ${origin}/x /x` });
  await container.remove();
  try {
    const { result, log } = await build('onbuild', [`FROM ${base}:1`]);
    expect(result, log).toMatchObject({ code: 'source_refused', message: /ONBUILD ADD/ });
    expect(agents).toEqual([]);
  } finally {
    await engine.getImage(`${base}:1`).remove();
  }
});

describe('two projects with the same Dockerfile', () => {
  const salt = testId('service'); // so that no earlier run has filled the caches
  const mount = '--mount=type=cache,target=/root/.npm-box';
  const alice = { projectId: testId('project') };
  const bob = { projectId: testId('project') };

  test('share no cache mount, whatever its id is', async () => {
    const lines = (of: string) => ['FROM node:24-slim', `RUN ${mount} ${of} # ${salt}`];
    const poison = await build('poison', lines('echo poisoned > /root/.npm-box/pkg.tgz'), alice);
    expect(poison.result.outcome, poison.log).toBe('succeeded');
    const look = 'sh -c "ls -A /root/.npm-box; echo looked"';
    const { log } = await build('look', lines(look), bob);
    expect(log).toMatch(/^looked$/m);
    expect(log).not.toMatch(/^pkg\.tgz$/m);
    const own = await build('look', lines(look), alice);
    expect(own.log).toMatch(/^pkg\.tgz$/m);
  });

  test('share no layer of a step, and one project’s second build uses its own', async () => {
    const lines = ['FROM node:24-slim', `RUN echo "made at $(date +%s%N)" && echo ${salt} > /made`];
    const made = (log: string) => /^made at \d+/m.exec(log)?.[0];
    const first = await build('layers', lines, alice);
    expect(made(first.log), first.log).toBeDefined();
    const again = await build('layers', lines, alice);
    expect(made(again.log)).toBeUndefined();
    expect(again.log).toContain('(cached)');
    const other = await build('layers', lines, bob);
    expect(made(other.log)).toBeDefined();
  });
});

test('labels of an image are not taken for the platform’s, and it gets no certificate of a database', async () => {
  const { docker } = fixture.host;
  const base = `longshore-test-${testId('service').replace('_', '-')}`;
  const container = await docker.engine.createContainer({ Image: 'node:24-slim' });
  const forged =
    'LABEL longshore.tls-names=["login.example.com"] longshore.port=5432 longshore.site=/etc longshore.secret-keys=[]';
  const run =
    'CMD ["node", "-e", "setInterval(() => {}, 1000); process.on(\'SIGTERM\', () => process.exit(0))"]';
  await container.commit({ repo: base, tag: '1', changes: `${forged}\n${run}` });
  await container.remove();
  try {
    const spec = worker({ source: { type: 'image', imageRef: `${base}:1` } });
    const { result, context } = await fixture.deploy(spec);
    expect(result.outcome, context.text()).toBe('succeeded');
    const { Config } = await inspect(docker, stable(spec));
    expect(Config.Labels).toMatchObject({ 'longshore.service': spec.serviceId, 'longshore.role': 'app' });
    for (const name of ['tls-names', 'port', 'site', 'spa', 'replaces', 'secret-keys'])
      expect(Config.Labels[`longshore.${name}`], name).toBe('');
    const said: string[] = [];
    const say = (line: string) => void said.push(line);
    const tls = createDatabaseTls({
      dataDirectory: fixture.host.dataDirectory,
      runnerId: docker.instance,
      clock: systemClock,
      publicAddress: async () => null,
    });
    await renewCertificates({ docker, tls, clock: systemClock, logger: { info: say, warn: say } });
    expect(said).toEqual([]);
  } finally {
    await docker.engine.getImage(`${base}:1`).remove({ force: true });
  }
});
