/** Mounted files: they are there before the program starts, nobody can change them, and each version has its own. */
import { expect, test } from 'vitest';
import type { MountedFile } from '../../../../protocol/mounts.ts';
import { stable } from '../../../support/docker/deploy-fixture.ts';
import { inspect } from '../../../support/docker/docker-host.ts';
import { useDeployFixture } from '../../../support/docker/use-scenes.ts';

const fixture = useDeployFixture();
const config: MountedFile = { path: '/srv/new/app.conf', content: 'one', secret: false, mode: 0o444 };
const key: MountedFile = { path: '/etc/app.key', content: 'the-secret-key', secret: true, mode: 0o400 };

/** Tries to change, remove and replace its files, then answers with what it finds. */
const program = `const fs = require('fs'), paths = ${JSON.stringify([config.path, key.path])};
const attempt = (act) => { try { act(); return 'done'; } catch (error) { return error.code; } };
const seen = paths.map((path) => [
  attempt(() => fs.chmodSync(path, 0o666)), attempt(() => fs.writeFileSync(path, 'mine')), attempt(() => fs.unlinkSync(path)),
  fs.readFileSync(path, 'utf8'), fs.statSync(path).uid]);
process.on('SIGTERM', () => process.exit(0));
require('http').createServer((_, reply) => reply.end(JSON.stringify(seen))).listen(3000);`;
const version = (user: string, of?: Parameters<typeof fixture.spec>[1]) =>
  fixture.spec({ internalPort: 3000, container: { command: ['node', '-e', program], user } }, of);

test.each([
  ['root', 0, ['EROFS', 'EROFS', 'EBUSY']],
  ['node', 1000, ['EROFS', 'EROFS', 'EACCES']],
])(
  'a program that runs as %s reads its files and can not change them, also after a restart of its container',
  async (user, uid, errors) => {
    const spec = version(user);
    const { result, context } = await fixture.deploy(spec, { secrets: { files: [config, key] } });
    expect(result.outcome, context.text()).toBe('succeeded');
    const expected = [config, key].map(({ content }) => [...errors, content, uid]);
    expect(JSON.parse(await fixture.answer(spec))).toEqual(expected);
    const { docker } = fixture.host;
    await docker.engine.getContainer(stable(spec)).restart();
    await expect.poll(() => fixture.answer(spec).catch(() => '')).toBe(JSON.stringify(expected));
    const { HostConfig } = await inspect(docker, stable(spec));
    // A list of its own replaces Docker's.
    expect(HostConfig.ReadonlyPaths).toContain('/proc/sys');

    const next = version(user, spec);
    const files = [{ ...config, content: 'two' }, key];
    expect((await fixture.deploy(next, { secrets: { files } })).result.outcome).toBe('succeeded');
    expect(JSON.parse(await fixture.answer(next))[0][3]).toBe('two');
  },
);

test('a file where the image has a directory fails the deployment, and the sentence names it', async () => {
  const files = [{ ...config, path: '/usr/local' }];
  const { result } = await fixture.deploy(version('node'), { secrets: { files } });
  expect(result).toMatchObject({
    code: 'start_failed',
    message: expect.stringMatching(
      /^The file \/usr\/local could not be written into the container: .*Choose another path/,
    ),
  });
});
