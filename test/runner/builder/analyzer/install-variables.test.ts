import { expect, test } from 'vitest';
import { dockerfile } from '../../../../runner/builder/analyzer/dockerfile.ts';
import { installVariables } from '../../../../runner/builder/analyzer/install-variables.ts';
import { memoryFiles } from '../../../support/runner/memory-files.ts';
import { planOf } from './providers/plans.ts';

const apps: Record<string, Record<string, string>> = {
  npm: {
    'package.json': '{"dependencies":{"a":"1"},"scripts":{"build":"tsc","start":"node ."}}',
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
