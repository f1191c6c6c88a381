/** Scripts are started without a package manager, and find what it would have told them. */
import { expect, test } from 'vitest';
import { planOf } from '../plans.ts';

const environment = async (json: object, more: Record<string, string> = {}) => {
  const text = JSON.stringify({ scripts: { start: 'node server.js' }, ...json });
  const { output } = await planOf({ 'package.json': text, ...more });
  return output.type === 'run' ? output.env : {};
};

test.each<[string, object, Record<string, string>]>([
  ['npm/? node/v24 linux', {}, {}],
  ['npm/11.4.2 node/v24 linux', { packageManager: 'npm@11.4.2' }, {}],
  ['pnpm/10 npm/? node/v24 linux', {}, { 'pnpm-lock.yaml': "lockfileVersion: '9.0'" }],
  ['pnpm/9.15.4 npm/? node/v24 linux', { packageManager: 'pnpm@9.15.4+sha512.ab12' }, {}],
  ['yarn/1 npm/? node/v24 linux', {}, { 'yarn.lock': '# yarn lockfile v1' }],
  ['yarn/4.11.0 npm/? node/v24 linux', { packageManager: 'yarn@4.11.0' }, {}],
  ['bun/? npm/? node/v24 linux', {}, { 'bun.lock': '{}' }],
])('an app finds its package manager %s', async (agent, json, more) => {
  expect(await environment(json, more)).toMatchObject({ npm_config_user_agent: agent });
});

test('an app finds its own name and version', async () => {
  expect(await environment({ name: '@acme/web', version: '1.2.0-rc.1' })).toMatchObject({
    npm_package_name: '@acme/web',
    npm_package_version: '1.2.0-rc.1',
  });
});

test('a name or version that a Dockerfile would read as something else is left out', async () => {
  const env = await environment({ name: '$HOME "x"', version: '1.0.0 $PATH' });
  expect(Object.keys(env).filter((name) => name.startsWith('npm_package'))).toEqual([]);
});
