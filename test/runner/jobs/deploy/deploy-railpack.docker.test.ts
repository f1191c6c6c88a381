/**
 * BUILDER=railpack, with stand-ins for the programs `railpack` and `docker`: the real ones need Railpack's registry, which tests don't
 * have. The stand-ins write down how they were called; the image is a real one, built by the real Docker.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { useDeployFixture } from '../../../support/docker/use-scenes.ts';
import { testContext } from '../../../support/runner/job-context.ts';
import { standIns } from '../../../support/runner/stand-in-programs.ts';
import { until } from '../../../support/runner/until.ts';

const fixture = useDeployFixture();
beforeAll(async () => {
  fixture.parts.baseImages = { 'railpack-frontend': 'node:24-slim' };
});

const server = "require('node:http').createServer((_, r) => r.end('by railpack')).listen(process.env.PORT)";
const secret = 'canary-secret-4471';

const railpack = `
case "$1" in
--version) echo 'railpack version 0.9.1' ;;
prepare) echo 'the plan'; echo '{"deploy":{"base":{"image":"node:24-slim"},"variables":{"image":"kept"}}}' > "$4" ;;
esac`;

/** Builds with the real Docker what a plan would: the tag and the labels are those that the runner asked for. */
const docker = (real: string) => `
case "$1 $2" in
"buildx version") exit 0 ;;
esac
for word in "$@"; do case "$word" in id=*) cat "\${word#*src=}" >> "$out/secret"; stat -c %a "\${word#*src=}" >> "$out/mode" ;; */railpack-plan.json) cp "$word" "$out/plan" ;; esac; done
set -- "$@" end; labels=
while [ "$1" != end ]; do
  case "$1" in --tag) tag=$2 ;; --label) labels="$labels --label $2" ;; esac
  root=$1; shift
done
printf 'FROM node:24-slim\\nCOPY server.js /\\nCMD ["node", "/server.js"]\\n' | DOCKER_BUILDKIT=0 '${real}' build -q $labels -t "$tag" -f - "$root"`;

const deploy = (name: string, env: Record<string, string>, context = testContext()) => {
  fixture.commit(name, { 'server.js': server, 'package.json': '{}' });
  const spec = fixture.spec({ source: fixture.gitSource(name) });
  return {
    spec,
    deployment: fixture.deploy(
      { ...spec, build: { ...spec.build, startCommand: 'node server.js' } },
      { secrets: { env }, context },
    ),
  };
};

/** Docker's own client, which new releases of Debian have in a package of its own. */
const client = spawnSync('sh', ['-c', 'command -v docker'], { encoding: 'utf8' }).stdout.trim();

test.runIf(client)(
  'Railpack (stand-in) plans, buildx builds with its frontend of the same version, and the image serves',
  async () => {
    const seen = standIns({ railpack, docker: docker(client) });
    const env = { BUILDER: 'railpack', API_KEY: secret, DOCKER_CONFIG: '/evil', RAILPACK_PACKAGES: 'jq' };
    const { spec, deployment } = deploy('railpack', env);
    const { result, context } = await deployment;
    expect(result.outcome, context.text()).toBe('succeeded');
    expect(await fixture.answer(spec)).toBe('by railpack');
    const [, plan = ''] = seen.read('railpack.args').split('\n');
    expect(plan).toMatch(/^prepare \S+\/tree --plan-out \S+ --info-out \S+ /);
    expect(plan).toContain('--env API_KEY= ');
    expect(plan).toMatch(/--env RAILPACK_PACKAGES --env RAILPACK_START_CMD$/);
    const [, build = ''] = seen.read('docker.args').split('\n');
    const pin = `longshore-${spec.serviceId}-base-${spec.deploymentId}-[0-9a-f]{16}:latest`;
    expect(build).toMatch(new RegExp(`--build-arg BUILDKIT_SYNTAX=${pin} `));
    const { base, variables } = JSON.parse(seen.read('plan')).deploy;
    expect(base.image).toMatch(new RegExp(`^${pin}$`));
    expect(variables).toEqual({ image: 'kept' });
    expect(build).toContain(`--build-arg cache-key=${spec.serviceId}`);
    expect(build).toMatch(/--secret id=API_KEY,src=\S+\/secrets\/API_KEY/);
  },
);

test.runIf(client)(
  'values are in files of mode 600 during a Railpack (stand-in) build, and in no argument, environment or log',
  async () => {
    const seen = standIns({ railpack, docker: docker(client) });
    const { deployment } = deploy('railpack-secrets', {
      BUILDER: 'railpack',
      API_KEY: secret,
      DOCKER_HOST: 'tcp://evil',
    });
    const { result, context } = await deployment;
    expect(result.outcome, context.text()).toBe('succeeded');
    expect(seen.read('secret')).toContain(secret);
    expect(new Set(seen.read('mode').trim().split('\n'))).toEqual(new Set(['600']));
    const all = ['railpack.args', 'railpack.env', 'docker.args', 'docker.env'].map(seen.read).join('\n');
    expect(all + context.text()).not.toContain(secret);
    expect(all).not.toContain('tcp://evil');
    const [, file = ''] = /API_KEY,src=(\S+)/.exec(all) ?? [];
    expect(existsSync(file)).toBe(false);
  },
);

test.each([
  ['railpack', { railpack: 'exit 127' }, /this host has no program "railpack"/],
  ['buildx', { railpack, docker: 'exit 1' }, /this host has no "docker buildx"/],
])('a Railpack build without %s fails with what is missing', async (_, programs, sentence) => {
  standIns(programs);
  const { result } = await deploy('railpack-missing', { BUILDER: 'railpack' }).deployment;
  expect(result).toMatchObject({ code: 'build_method_missing', message: expect.stringMatching(sentence) });
});

test('the error of Railpack (stand-in) for an unknown project is the reason', async () => {
  const fails = `${railpack.replace("echo 'the plan'", "echo 'Railpack could not determine how to build the app.' >&2; exit 1")}`;
  standIns({ railpack: fails, docker: 'exit 0' });
  const { result } = await deploy('railpack-unknown', { BUILDER: 'railpack' }).deployment;
  expect(result).toMatchObject({
    code: 'build_failed',
    message: expect.stringContaining('Railpack could not determine how to build the app.'),
  });
});

test('an abort ends a Railpack (stand-in) build with its helpers', async () => {
  const seen = standIns({
    railpack,
    docker: 'case "$2" in version) exit 0 ;; esac\nsleep 601 & echo $! > "$out/pid"; wait',
  });
  const context = testContext();
  const { deployment } = deploy('railpack-abort', { BUILDER: 'railpack' }, context);
  await until(
    'the build runs',
    () => existsSync(join(seen.directory, 'pid')) && seen.read('pid').trim() !== '',
  );
  context.abort();
  expect(await deployment).toMatchObject({ result: { outcome: 'threw', message: 'job stopped: aborted' } });
  await until('its helper has ended', () => !existsSync(`/proc/${seen.read('pid').trim()}`));
});
