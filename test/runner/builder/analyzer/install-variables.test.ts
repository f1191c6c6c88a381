import { expect, test } from 'vitest';
import { dockerfile } from '../../../../runner/builder/analyzer/dockerfile.ts';
import { installVariables } from '../../../../runner/builder/analyzer/install-variables.ts';
import { memoryFiles } from '../../../support/runner/memory-files.ts';
import { planOf } from './providers/plans.ts';

const apps: Record<string, Record<string, string>> = {
  npm: {
    'package.json': '{"dependencies":{"a":"1"},"scripts":{"build":"vite build","start":"node ."}}',
    'package-lock.json': '',
    '.npmrc': `//registry.example/:_authToken=\${OWN_REGISTRY}`,
  },
  pip: {
    'requirements.txt': `--index-url https://\${OWN_REGISTRY}@pypi.example/\nflask\ngunicorn`,
    'app.py': 'app = Flask(__name__)',
  },
};
const names = [
  'DATABASE_URL',
  'NEXT_PUBLIC_API',
  'NPM_CONFIG_REGISTRY',
  'OWN_REGISTRY',
  'PIP_INDEX_URL',
  'HTTPS_PROXY',
  'CYPRESS_SKIP_BINARY_INSTALL',
];

test.each(Object.keys(apps))(
  'the install with %s sees only tools, proxies and what its manifests name',
  async (name) => {
    const files = apps[name] ?? {};
    const plan = await planOf(files);
    const early = installVariables(plan, memoryFiles(files), names);
    expect(early).toEqual(names.filter((one) => !['DATABASE_URL', 'NEXT_PUBLIC_API'].includes(one)));
    const lines = dockerfile(plan, {
      serviceId: 'svc',
      builder: 'buildkit',
      variables: names,
      installVariables: early,
    }).split('\n');
    const at = (text: string) => lines.findIndex((line) => line.includes(text));
    const install = at(name === 'npm' ? 'npm ci' : 'pip install');
    expect(install).toBeGreaterThan(at('ARG OWN_REGISTRY'));
    expect(install).toBeLessThan(at('ARG DATABASE_URL'));
    expect(lines.filter((line) => line.startsWith('ARG '))).toHaveLength(names.length);
  },
);

test('an install that may read any file sees all variables', async () => {
  const files = {
    ...apps.npm,
    'package.json': '{"scripts":{"postinstall":"node x.js","start":"node .","build":"x"}}',
  };
  const plan = await planOf(files);
  const installVariablesOfIt = installVariables(plan, memoryFiles(files), names);
  const lines = dockerfile(plan, {
    serviceId: 'svc',
    builder: 'buildkit',
    variables: names,
    installVariables: installVariablesOfIt,
  }).split('\n');
  expect(lines.indexOf('ARG DATABASE_URL')).toBeLessThan(lines.findIndex((line) => line.includes('npm ci')));
});

test.each([
  ['pip', 'PIP_FIND_LINKS', 'wheels'],
  ['pip', 'PIP_FIND_LINKS', 'https://wheels.example/ /app/wheels'],
  ['pip', 'UV_CONSTRAINT', './wheels/constraints.txt'],
  ['pip', 'PIP_FIND_LINKS', 'file:///app/wheels/'],
  ['npm', 'NPM_CONFIG_USERCONFIG', 'wheels/constraints.txt'],
  ['npm', 'NODE_EXTRA_CA_CERTS', '/app/wheels/constraints.txt'],
])('the install with %s sees the source if %s names a part of it: %s', async (name, variable, value) => {
  const files = { ...apps[name], 'wheels/constraints.txt': '' };
  const copies = async (env: Record<string, string>) =>
    (await planOf(files, { env })).build.steps.flatMap((step) => (step.type === 'copy' ? [step.paths] : []));
  expect((await copies({ [variable]: value }))[0]).toEqual(['.']);
  const elsewhere = ['', '/etc/pip.conf', '../wheels', 'https://wheels.example/wheels', 'missing'];
  for (const path of elsewhere) expect((await copies({ [variable]: path }))[0], path).not.toEqual(['.']);
});

const argumentsOf = async (files: Record<string, string>, some = {}) => {
  const plan = await planOf(files, some);
  const text = dockerfile(plan, {
    serviceId: 'svc',
    builder: 'buildkit',
    variables: names,
    installVariables: installVariables(plan, memoryFiles(files), names),
  });
  return text.split('\n').filter((line) => line.startsWith('ARG '));
};
const compiled = (build: string, more: Record<string, string> = {}) => ({
  'package.json': JSON.stringify({
    dependencies: { '@nestjs/core': '12' },
    scripts: { start: 'node dist/main', clean: 'rimraf dist', build },
  }),
  'package-lock.json': '',
  ...more,
});
const tools = names.filter((name) => !['DATABASE_URL', 'NEXT_PUBLIC_API'].includes(name));

test.each([
  'tsc -p tsconfig.build.json',
  'npm run clean && tsc && tsc-alias',
  'nest build',
  'nest build api',
  'esbuild src/main.ts --bundle --platform=node --outfile=dist/main.js',
])('a build that only compiles sees no variable of the app: %s', async (build) => {
  expect(await argumentsOf(compiled(build))).toEqual(tools.map((name) => `ARG ${name}`));
});

test.each<[string, Record<string, string>?]>([
  ['vite build'],
  ['tsc && node copy.js'],
  ['tsc && vite build'],
  ['npm run generate && tsc'],
  ['nest build --webpack'],
  ['nest build', { 'nest-cli.json': '{"compilerOptions":{"webpack":true}}' }],
  ['nest build', { 'nest-cli.json': '{"compilerOptions":{"builder":"swc"}}' }],
  ['tsc > $DATABASE_URL'],
  ['NODE_ENV=x tsc'],
])('a build that may run code of the project sees all variables: %s %j', async (build, more) => {
  expect(await argumentsOf(compiled(build, more))).toHaveLength(names.length);
});

test('scripts before and after a build, and commands of the user, count as parts of it', async () => {
  const withHook = (name: string) => {
    const json = JSON.parse(compiled('tsc')['package.json']);
    return {
      ...compiled('tsc'),
      'package.json': JSON.stringify({ ...json, scripts: { ...json.scripts, [name]: 'node x.js' } }),
    };
  };
  for (const name of ['prebuild', 'postbuild', 'postinstall']) {
    expect(await argumentsOf(withHook(name)), name).toHaveLength(names.length);
  }
  expect(await argumentsOf(compiled('tsc'), { buildCommand: 'tsc' })).toHaveLength(names.length);
});

test('a build of Go sees the variables of its tools, unless the user wrote it', async () => {
  const files = { 'go.mod': 'module example.com/shop', 'main.go': 'package main' };
  expect(await argumentsOf(files)).toEqual(tools.map((name) => `ARG ${name}`));
  const own = { buildCommand: 'make', startCommand: './shop' };
  expect(await argumentsOf(files, own)).toHaveLength(names.length);
});
