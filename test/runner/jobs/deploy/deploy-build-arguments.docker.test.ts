/** A Dockerfile gets the variables that it asks for, with the real daemon: by ARG in every form, and by secret mounts. */
import { beforeEach, expect, test } from 'vitest';
import type { DeploySecrets, DeploySpec } from '../../../../protocol/job-spec.ts';
import { temporary } from '../../../support/docker/deploy-fixture.ts';
import { testId } from '../../../support/docker/docker-host.ts';
import { useDeployFixture } from '../../../support/docker/use-scenes.ts';

const fixture = useDeployFixture();
let salt: string;
beforeEach(() => {
  salt = testId('service'); // so that no earlier run has filled the cache
});

const command =
  'CMD ["node", "-e", "setInterval(() => {}, 1000); process.on(\'SIGTERM\', () => process.exit(0))"]';

async function build(lines: string[], secrets: Partial<DeploySecrets> = {}, more: Partial<DeploySpec> = {}) {
  fixture.commit('arguments', { Dockerfile: [...lines, command, ''].join('\n'), 'file.txt': 'file' });
  const spec = fixture.spec({
    ...{ runtimeMode: 'worker', hostnames: [], source: fixture.gitSource('arguments') },
    ...more,
  });
  const { result, context } = await fixture.deploy(spec, { secrets: { secretKeys: [], ...secrets } });
  const history = async () => {
    const image = fixture.host.docker.engine.getImage(temporary(spec));
    return JSON.stringify([await image.history(), await image.inspect()]);
  };
  return { spec, result, history, log: context.text() };
}

test('one stage, several stages, and lines before FROM see the values', async () => {
  const { result, log, history } = await build(
    [
      'ARG TAG',
      'ARG UNSET=fallback',
      'FROM node:$' + '{TAG} AS base',
      'ARG NEXT_PUBLIC_API=http://localhost',
      'ARG UNSET',
      `RUN echo "base sees $NEXT_PUBLIC_API, $UNSET" # ${salt}`,
      'FROM base AS builder',
      'ARG NEXT_PUBLIC_API',
      'ARG FILE MISSING',
      'ENV COPIED=$NEXT_PUBLIC_API',
      'COPY $FILE /copied.txt',
      'RUN echo "builder sees $COPIED, $(cat /copied.txt), $MISSING."',
      'FROM node:24-slim',
      'RUN echo "without ARG: $NEXT_PUBLIC_API."',
      'COPY --from=builder /copied.txt /',
    ],
    {
      env: {
        NEXT_PUBLIC_API: `https://api.example/?a=1&b='"$x`,
        FILE: 'file.txt',
        TAG: '24-slim',
        UNUSED_VALUE: 'not-passed',
      },
    },
  );
  expect(result.outcome, log).toBe('succeeded');
  expect(log).toContain(`base sees https://api.example/?a=1&b='"$x, fallback`);
  expect(log).toContain(`builder sees https://api.example/?a=1&b='"$x, file, .`);
  expect(log).toContain('without ARG: .');
  expect(log).toContain('Build arguments (ARG) from variables of the service: FILE, NEXT_PUBLIC_API, TAG\n');
  expect(log).toContain('Build arguments (ARG) without a value or default: MISSING. Set');
  expect(log).not.toContain('Warning');
  expect(await history()).not.toMatch(/api\.example|not-passed/);
});

test('a changed value runs the steps after its ARG again, and no step before it', async () => {
  const lines = ['FROM node:24-slim', `RUN echo before ${salt}`, 'ARG A', 'RUN echo "A is $A"'];
  const first = await build(lines, { env: { A: 'one', OTHER: 'x' } });
  const same = await build(
    lines,
    { env: { A: 'one', OTHER: 'y' } },
    { ...first.spec, deploymentId: testId('deployment') },
  );
  const changed = await build(
    lines,
    { env: { A: 'two' } },
    { ...first.spec, deploymentId: testId('deployment') },
  );
  expect(first.log).toContain('A is one');
  expect(same.log.match(/^.*RUN echo .*\(cached\)$/gm)).toHaveLength(2);
  expect(changed.log.match(/^.*RUN echo before .*\(cached\)$/gm)).toHaveLength(1);
  expect(changed.log).toContain('A is two');
});

test('a secret that ARG passes is in the history, which the log warns of; a secret mount leaves nothing', async () => {
  const env = {
    BY_ARG: 'value-by-arg',
    BY_MOUNT: 'value-by-mount\n',
    NPM_TOKEN: 'value-of-token',
    HIDDEN: 'value-hidden',
  };
  const { result, log, history } = await build(
    [
      'FROM node:24-slim AS build',
      'ARG HIDDEN',
      `RUN test -n "$HIDDEN" # ${salt}`,
      'FROM node:24-slim',
      'ARG BY_ARG',
      'RUN test "$BY_ARG" = value-by-arg',
      'RUN --mount=type=secret,id=BY_MOUNT test "$(od -c /run/secrets/BY_MOUNT | tail -1)" = 0000017',
      'USER node',
      `RUN --mount=type=secret,id=BY_MOUNT,env=TOKEN --mount=type=secret,id=npm-token,env=OTHER node -e 'process.exit(process.env.TOKEN.length === 15 && process.env.OTHER.length === 14 ? 0 : 1)'`,
      'RUN --mount=type=secret,id=NPM_TOKEN,env=T ["node", "-e", "process.exit(process.env.T.length === 14 ? 0 : 1)"]',
      'RUN --mount=type=secret,id=nobody,env=N test -z "$N$TOKEN"',
      'COPY --from=build /etc/passwd /passwd',
    ],
    { env, secretKeys: Object.keys(env) },
  );
  expect(JSON.stringify(result), log).toContain('"succeeded"');
  expect(log).toContain(
    'Warning: line 5 takes the secret variable BY_ARG by ARG, which leaves its value in the history of the image. Use RUN --mount=type=secret,id=BY_ARG,env=BY_ARG',
  );
  expect(log).toContain(
    'Warning: line 2 takes the secret variable HIDDEN by ARG, and each later step of that stage sees it.',
  );
  expect(log).toContain('Secret mounts from variables of the service: BY_MOUNT, NPM_TOKEN, npm-token\n');
  expect(log).toContain(
    'no variable has the name of these secret mounts, so their steps get no file: nobody\n',
  );
  const kept = await history();
  expect(kept).toContain('value-by-arg');
  expect(kept).not.toMatch(/value-by-mount|value-of-token|value-hidden/);
});

test('the failure of a step with a secret names the command of the Dockerfile', async () => {
  const { result, log } = await build(
    ['FROM node:24-slim', `RUN --mount=type=secret,id=TOKEN,env=TOKEN echo "it is $TOKEN" && false ${salt}`],
    { env: { TOKEN: 'value-of-token' }, secretKeys: ['TOKEN'] },
  );
  expect(result, log).toMatchObject({
    code: 'build_failed',
    message: `The build step "echo "it is $TOKEN" && false ${salt}" failed with exit code 1.`,
  });
});

test('a required secret that no variable has fails the build', async () => {
  const { result } = await build([
    'FROM node:24-slim',
    `RUN --mount=type=secret,id=NOBODY,required=true true ${salt}`,
  ]);
  expect(result).toMatchObject({ code: 'build_failed', message: /NOBODY/ });
});

test('buildTarget builds that stage and none after it', async () => {
  const lines = [
    'FROM node:24-slim AS Dev',
    `RUN echo dev ${salt}`,
    command,
    'FROM dev AS prod',
    'ARG LACKED',
    'RUN exit 1',
  ];
  const of = (buildTarget: string) => ({ build: { ...fixture.spec().build, buildTarget } });
  const { result, log } = await build(lines, {}, of('dev'));
  expect(result.outcome, log).toBe('succeeded');
  expect(log).not.toContain('LACKED');
  const missing = await build(lines, {}, of('test'));
  expect(missing.result).toMatchObject({
    code: 'build_failed',
    message: /no stage "test" \(buildTarget\): its stages are dev, prod/,
  });
});

test('the classic builder fills ARGs too', async () => {
  const { builders } = fixture.parts;
  fixture.parts.builders = ['classic'];
  try {
    const { result, log } = await build(
      ['ARG TAG', 'FROM node:$TAG', 'ARG A', 'ARG B=2', `RUN echo "A $A, B $B" # ${salt}`],
      {
        env: { A: '1', TAG: '24-slim', B: '3', HTTPS_PROXY: 'http://192.0.2.1:1' },
      },
    );
    expect(result.outcome, log).toBe('succeeded');
    expect(log).toContain('A 1, B 3');
  } finally {
    fixture.parts.builders = builders;
  }
});

test('a changed variable builds an analyzed app again without a new install, unless the install reads the variable', async () => {
  const name = `salt-${salt.slice(-8)}`;
  fixture.commit('analyzed', {
    'package.json': JSON.stringify({
      name,
      version: '1.0.0',
      scripts: { build: 'node build.js', start: 'node server.js' },
    }),
    'package-lock.json': JSON.stringify({
      name,
      version: '1.0.0',
      lockfileVersion: 3,
      requires: true,
      packages: { '': { name, version: '1.0.0' } },
    }),
    'build.js': 'console.log("built with " + process.env.API)',
    'server.js': 'setInterval(() => {}, 1000); process.on("SIGTERM", () => process.exit(0));',
  });
  const spec = fixture.spec({ runtimeMode: 'worker', hostnames: [], source: fixture.gitSource('analyzed') });
  const built = async (env: Record<string, string>) => {
    const { result, context } = await fixture.deploy(
      { ...spec, deploymentId: testId('deployment') },
      { secrets: { env, secretKeys: [] } },
    );
    const log = context.text();
    expect(result.outcome, log).toBe('succeeded');
    return { log, isInstallCached: /RUN .*npm ci .*\(cached\)$/m.test(log) };
  };
  await built({ API: 'one', NPM_CONFIG_LOGLEVEL: 'warn' });
  const changed = await built({ API: 'two', NPM_CONFIG_LOGLEVEL: 'warn' });
  expect(changed.log).toContain('built with two');
  expect(changed.isInstallCached, changed.log).toBe(true);
  expect((await built({ API: 'two', NPM_CONFIG_LOGLEVEL: 'error' })).isInstallCached).toBe(false);
});
