/** Going back to the kept image of an earlier deployment, and which images are kept. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { DeploySpec } from '../../../../protocol/job-spec.ts';
import { stable, temporary, webApp } from '../../../support/docker/deploy-fixture.ts';
import { inspect } from '../../../support/docker/docker-host.ts';
import { useDeployFixture } from '../../../support/docker/use-scenes.ts';

const fixture = useDeployFixture();

const backTo = (spec: DeploySpec, commitSha: string | null = null, more: Partial<DeploySpec> = {}) =>
  fixture.spec({ source: { type: 'kept', deploymentId: spec.deploymentId, commitSha }, ...more }, spec);
const imageIdOf = async (spec: DeploySpec) =>
  (await fixture.host.docker.engine.getImage(temporary(spec)).inspect()).Id;
const imagesOf = async (spec: DeploySpec) =>
  (await fixture.host.leftovers()).filter((name) => name.startsWith(`longshore-${spec.serviceId}-dep`));

async function succeed(spec: DeploySpec, env: Record<string, string> = {}) {
  const { result, context } = await fixture.deploy(spec, { secrets: { env } });
  expect(result.outcome, context.text()).toBe('succeeded');
  return { result, context };
}

test('a rollback brings a version back without checkout or build, with its variables, commit and own tag', async () => {
  const commitSha = fixture.commit('web', webApp('one'));
  const first = fixture.spec({ source: fixture.gitSource('web') });
  await succeed(first, { GREETING: 'hello' });
  fixture.commit('web', webApp('two'));
  await succeed(fixture.spec({}, first), { GREETING: 'bye' });
  expect(await fixture.answer(first)).toBe('two bye');

  const back = backTo(first, commitSha);
  const { result, context } = await succeed(back, { GREETING: 'hello' });
  expect(await fixture.answer(back)).toBe('one hello');
  expect(result).toMatchObject({
    facts: { imageTag: temporary(back), containerName: stable(back), commitSha },
  });
  expect(context.phases.map(({ phase }) => phase)).toEqual(['start', 'health', 'switch', 'finish']);
  expect(context.text()).toContain(`Rolling back to ${first.deploymentId}`);
  expect(await imageIdOf(back)).toBe(await imageIdOf(first));
  await fixture.retireNow();
  const { Config } = await inspect(fixture.host.docker, stable(back));
  expect(Config.Env).toContain(`LONGSHORE_COMMIT_SHA=${commitSha}`);
  expect(Config.Labels['longshore.deployment']).toBe(back.deploymentId);
});

test.each([
  ['asked for', { runtimeMode: 'static' } as const, { 'index.html': 'one' }],
  ['found', {}, { 'index.html': 'one' }],
  [
    'built by a Dockerfile',
    { staticOutput: 'dist' },
    { Dockerfile: 'FROM node:24-slim\nWORKDIR /app\nRUN mkdir dist && printf one > dist/index.html\n' },
  ],
])(
  'a static site is rolled back too: %s',
  async (name, { staticOutput = null, ...more }: Settings, files) => {
    const repository = name.replaceAll(' ', '-');
    fixture.commit(repository, files);
    const source = fixture.gitSource(repository);
    const build = { ...fixture.spec().build, staticOutput };
    const first = fixture.spec({ source, build, ...more });
    await succeed(first);
    fixture.commit(repository, {
      ...files,
      ...('Dockerfile' in files
        ? { Dockerfile: files.Dockerfile?.replace('printf one', 'printf two') ?? '' }
        : { 'index.html': 'two' }),
    });
    await succeed(fixture.spec({}, first));
    const back = backTo(first);
    await succeed(back);
    const target = fixture.traffic.current(back.serviceId)?.target;
    if (target?.type !== 'site') throw new Error('no site is routed');
    expect(target.directory).toContain(back.deploymentId);
    expect(readFileSync(join(target.directory, 'index.html'), 'utf8')).toBe('one');
    await fixture.retireNow();
    expect(readFileSync(join(target.directory, 'index.html'), 'utf8')).toBe('one');
  },
);

type Settings = { staticOutput?: string | null } & Partial<DeploySpec>;

test('a rollback to a missing image fails in one sentence; the live version keeps serving and nothing is left', async () => {
  fixture.commit('gone', webApp('one'));
  const first = fixture.spec({ source: fixture.gitSource('gone') });
  await succeed(first);
  const never = fixture.spec({}, first);
  const { result } = await fixture.deploy(backTo(never));
  expect(result).toEqual({
    outcome: 'threw',
    code: 'image_gone',
    message: `The image of ${never.deploymentId} is no longer on this host, so this rollback is not possible: deploy the service again instead.`,
  });
  expect(await fixture.answer(first)).toBe('one ');
  expect(await imagesOf(first)).toEqual([`${temporary(first)}:latest`]);
});

test('the images that the control plane names stay, and one shared by two deployments stays with the other', async () => {
  const source = fixture.gitSource('many');
  const specs: DeploySpec[] = [];
  for (const text of ['1', '2', '3']) {
    fixture.commit('many', { 'index.html': text });
    specs.push(fixture.spec({ source, runtimeMode: 'static' }, specs[0]));
    await succeed(specs.at(-1) as DeploySpec);
  }
  const [first, , third] = specs as [DeploySpec, DeploySpec, DeploySpec];
  await fixture.retireNow();
  expect(await imagesOf(first)).toHaveLength(3); // nobody said which to keep
  const back = backTo(first, null, { keptDeployments: [third.deploymentId] });
  await succeed(back);
  await fixture.retireNow();
  expect((await imagesOf(first)).sort()).toEqual(
    [`${temporary(third)}:latest`, `${temporary(back)}:latest`].sort(),
  );
});

test('a version whose name another runner on this Docker still has serves, and gets the name later', async () => {
  fixture.commit('moved', webApp('moved'));
  const spec = fixture.spec({ source: fixture.gitSource('moved') });
  const { engine } = fixture.host.docker;
  const foreign = await engine.createContainer({ name: stable(spec), Image: 'node:24-slim' });
  onTestFinished(() => foreign.remove({ force: true }).catch(() => undefined));
  const { result, context } = await fixture.deploy(spec);
  expect(result.outcome, context.text()).toBe('succeeded');
  expect(context.text()).toContain('gets its name');
  expect(context.text()).not.toContain('already in use');
  await foreign.remove({ force: true });
  await fixture.retireNow();
  expect((await inspect(fixture.host.docker, stable(spec))).State.Running).toBe(true);
});
