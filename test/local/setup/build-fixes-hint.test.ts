import { expect, test } from 'vitest';
import { buildFixesHint } from '../../../local/setup/build-fixes-hint.ts';

const docker = (Version: string) => ({ version: async () => ({ Version }) as never });
const hint = (version: string, candidate: string | null) =>
  buildFixesHint(docker(version), async () => candidate);

test('setup prints no warning about a Docker that has the fixes', async () => {
  expect(await hint('26.1.5+dfsg1', null)).toEqual([]);
});

test.each<[string, string | null, string]>([
  ['24.0.7', '1:28.2.2-0ubuntu1~24.04.1', 'sudo apt-get install docker.io'],
  ['24.0.7', '24.0.9-0ubuntu1', 'sudo apt-get install docker.io'],
  ['20.10.24+dfsg1', '20.10.24+dfsg1-1+deb12u1', 'has no fixed version'],
  ['20.10.24+dfsg1', null, 'has no fixed version'],
])('setup says what Docker %s means where the distribution has %s', async (version, candidate, wayOut) => {
  const [meaning, what, ...more] = await hint(version, candidate);
  expect(meaning).toContain(`Docker ${version}`);
  expect(meaning).toContain('one tenant only');
  expect(what).toContain(wayOut);
  expect(more).toEqual([]);
});
