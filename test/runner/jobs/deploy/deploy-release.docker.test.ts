/** The release command: once, in the new image, before anything switches, for every kind of service with a container. */
import { expect, test } from 'vitest';
import type { DeploySpec } from '../../../../protocol/job-spec.ts';
import { stable } from '../../../support/docker/deploy-fixture.ts';
import { testId } from '../../../support/docker/docker-host.ts';
import { useDeployFixture } from '../../../support/docker/use-scenes.ts';

const fixture = useDeployFixture();
const server = (name: string) =>
  `require('http').createServer((_, reply) => reply.end('${name} ' + (require('fs').existsSync('/data/log') ? require('fs').readFileSync('/data/log') : ''))).listen(3000)`;
const command = (name: string) => ['node', '-e', server(name)];

const withRelease = (releaseCommand: string, more: Partial<DeploySpec> = {}, of?: DeploySpec) => {
  const spec = fixture.spec({ internalPort: 3000, ...more }, of);
  return { ...spec, build: { ...spec.build, releaseCommand } };
};

const files = (name: string, procfile?: string) => ({
  Dockerfile: `FROM node:24-slim\nWORKDIR /app\nCOPY . .\nENTRYPOINT ["node"]\nCMD ["-e", ${JSON.stringify(server(name))}]\n`,
  'release.sh': 'echo "released $NAME by $(whoami) in $(pwd)"\n',
  ...(procfile === undefined ? {} : { Procfile: procfile }),
});

test('a Dockerfile’s service runs the Procfile’s release, unless the setting names another one', async () => {
  fixture.commit('both', files('one', 'release: sh release.sh\n'));
  const spec = fixture.spec({ internalPort: 3000, source: fixture.gitSource('both') });
  const first = await fixture.deploy(spec, { secrets: { env: { NAME: 'x1' }, secretKeys: [] } });
  expect(first.result.outcome, first.context.text()).toBe('succeeded');
  expect(first.context.text()).toContain('released x1 by root in /app\n');
  const second = await fixture.deploy(withRelease('echo "of the setting"', {}, spec));
  expect(second.context.text()).toContain('of the setting\n');
  expect(second.context.text()).not.toContain('released');
});

test('an image’s service runs its release command once, and a failure leaves the old version', async () => {
  const live = withRelease('echo "migrated to $VERSION"', { container: { command: command('one') } });
  const first = await fixture.deploy(live, { secrets: { env: { VERSION: '1' }, secretKeys: [] } });
  expect(first.result.outcome, first.context.text()).toBe('succeeded');
  expect(first.context.text().match(/migrated to 1\n/g)).toHaveLength(1);
  const broken = withRelease('echo no; exit 3', { container: { command: command('two') } }, live);
  const { result } = await fixture.deploy(broken);
  expect(result).toMatchObject({
    code: 'start_failed',
    message: 'The release step "echo no; exit 3" failed with exit code 3; the new version was not started.',
  });
  expect(await fixture.answer(live)).toContain('one');
});

test('a restart and a rollback do not run it again', async () => {
  const live = withRelease('echo "ran now"', { container: { command: command('one') } });
  await fixture.deploy(live);
  const source = { type: 'kept' as const, deploymentId: live.deploymentId, commitSha: null };
  for (const restarts of [true, false]) {
    const again = await fixture.deploy({
      ...live,
      deploymentId: testId('deployment'),
      source: { ...source, restarts },
    });
    expect(again.result.outcome, again.context.text()).toBe('succeeded');
    expect(again.context.text()).not.toContain('ran now');
  }
});

test('it has the volumes of the service while the old version stands still, which starts again after a failure', async () => {
  const volumes = [{ id: testId('volume'), name: 'data', mountPath: '/data', sizeMb: null }];
  const container = { command: command('one'), user: 'node' };
  const live = withRelease('echo first >> /data/log', { volumes, container });
  const first = await fixture.deploy(live);
  expect(first.result.outcome, first.context.text()).toBe('succeeded');
  expect(await fixture.answer(live)).toBe('one first\n');
  const next = withRelease(
    'echo second >> /data/log',
    { container: { ...container, command: command('two') } },
    live,
  );
  const second = await fixture.deploy(next);
  expect(second.result.outcome, second.context.text()).toBe('succeeded');
  expect(second.context.text()).toMatch(/Release step: echo second >> \/data\/log\nStopping the old version/);
  expect(await fixture.answer(live)).toBe('two first\nsecond\n');
  const broken = await fixture.deploy(withRelease('echo third >> /data/log; exit 1', { container }, live));
  expect(broken.result).toMatchObject({ code: 'start_failed' });
  await expect.poll(() => fixture.answer(live), { timeout: 20_000 }).toBe('two first\nsecond\nthird\n');
  await fixture.retireNow();
  const left = await fixture.host.docker.engine.listContainers({ all: true });
  const names = left.flatMap(({ Names }) => Names).filter((name) => name.includes(live.serviceId));
  expect(names).toEqual([`/${stable(live)}`]);
});

test('a service that moves with its volumes runs it where they are, not before', async () => {
  const volumes = [{ id: testId('volume'), name: 'data', mountPath: '/data', sizeMb: null }];
  fixture.commit('moves', files('one', 'release: echo moved >> /data/log\n'));
  const prepared = fixture.spec({
    internalPort: 3000,
    source: fixture.gitSource('moves'),
    volumes,
    preparesOnly: true,
  });
  const first = await fixture.deploy(prepared);
  expect(first.result.outcome, first.context.text()).toBe('succeeded');
  expect(first.context.text()).not.toContain('Release step');
  const { preparesOnly: _, ...after } = prepared;
  const source = { type: 'kept' as const, deploymentId: prepared.deploymentId, commitSha: null };
  const second = await fixture.deploy({ ...after, source });
  expect(second.result.outcome, second.context.text()).toBe('succeeded');
  expect(second.context.text()).toContain('Release step: echo moved');
  expect(await fixture.answer(prepared)).toBe('one moved\n');
});
