import { expect, test } from 'vitest';
import { labels } from '../../../protocol/names.ts';
import { secretKeysLabel, secretsIn } from '../../../runner/docker/secret-keys.ts';

const env = { NODE_ENV: 'production', API_KEY: 'abcdef', PATH: '/usr/bin' };

test('only the values of secret variables are masked in the log of a container that names them', () => {
  expect(secretsIn(env, secretKeysLabel({ secretKeys: ['API_KEY', 'GONE'] }))).toEqual(['abcdef']);
  expect(secretsIn(env, secretKeysLabel({ secretKeys: [] }))).toEqual([]);
});

test('a secret variable is masked under the name that it has in the container', () => {
  const label = secretKeysLabel(
    { secretKeys: ['API_KEY'] },
    { variableNames: [{ key: 'API_KEY', name: 'api.key' }] },
  );
  expect(secretsIn({ 'api.key': 'abcdef', NODE_ENV: 'production' }, label)).toEqual(['abcdef']);
});

test.each([
  ['no label', {}],
  ['the label of a control plane that did not say', secretKeysLabel({ secretKeys: undefined })],
  ['an empty label', { [labels.secretKeys]: '' }],
  ['a label that is no list', { [labels.secretKeys]: '{"API_KEY":1}' }],
])('with %s every value counts as secret', (_, given) => {
  expect(secretsIn(env, given)).toEqual(Object.values(env));
});
