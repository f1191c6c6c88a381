import { expect, test } from 'vitest';
import { runcHint } from '../../../local/setup/runc-hint.ts';

const hint = (version: string | null, SecurityOptions: string[] = []) =>
  runcHint({
    version: async () =>
      ({ Components: version === null ? [] : [{ Name: 'runc', Version: version }] }) as never,
    info: async () => ({ SecurityOptions }) as never,
  });

test.each(['1.1.15+ds1', '1.3.2'])('setup warns of runc %s', async (version) => {
  const [meaning, wayOut, ...more] = await hint(version, ['name=seccomp,profile=builtin']);
  expect(meaning).toContain(`runc ${version} lets a program leave its container`);
  expect(wayOut).toContain('user namespaces');
  expect(more).toEqual([]);
});

test.each(['1.2.9+ds1', '1.3.3'])(
  'setup prints no warning about runc %s, which has the fixes',
  async (version) => expect(await hint(version)).toEqual([]),
);

test('setup prints no warning with user namespaces, or if the version of runc is unknown', async () => {
  expect(await hint('1.1.15+ds1', ['name=seccomp,profile=builtin', 'name=userns'])).toEqual([]);
  expect(await hint(null)).toEqual([]);
});
