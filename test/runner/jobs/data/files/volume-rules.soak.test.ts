/** What a backup does to the service, what a restore refuses, and how it goes back. */
import { createHash, randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { pack, type Header as TarHeader } from 'tar-stream';
import { beforeAll, expect, test } from 'vitest';
import { testId } from '../../../../support/docker/docker-host.ts';
import { useDeployFixture } from '../../../../support/docker/use-scenes.ts';
import {
  deployVolume,
  type StoredVolume,
  type TestVolume,
  volumeDirectory,
} from '../../../../support/docker/use-volume.ts';
import { testContext } from '../../../../support/runner/job-context.ts';

const fixture = useDeployFixture();
let service: TestVolume;
let files: string;

beforeAll(async () => {
  service = await deployVolume(fixture);
  await service.inside(`cd ${volumeDirectory} && mkdir sub && echo text > sub/file && chown 7:8 sub/file`);
  files = await service.listing();
});

const starts = async () => (await service.inside(`cat ${volumeDirectory}/starts`)).split('start').length - 1;
const textOf = async ({ id }: StoredVolume) =>
  gunzipSync(await readFile(service.pathOf(id))).toString('latin1');
const command = (before: string, after: string) => ({ quiesce: { type: 'command', before, after } }) as const;
const log = `${volumeDirectory}/log`;

test('commands run before and after the copy, the second one also when the first one or the job fails', async () => {
  const backup = await service.backUp(command(`echo before >> ${log}`, `echo after >> ${log}`));
  expect(await textOf(backup)).toContain('before\n');
  expect(await textOf(backup)).not.toContain('after\n');
  expect(await service.inside(`cat ${log}`)).toBe('before\nafter\n');
  const failing = service.backupSpec(command('echo no >&2; exit 7', `echo woken >> ${log}`));
  expect(await service.run(failing)).toMatchObject({
    code: 'dump_failed',
    message: 'The command "before" ended with exit code 7. no',
  });
  const context = testContext();
  context.abort();
  await service.run(service.backupSpec(command(`echo never >> ${log}`, `echo aborted >> ${log}`)), context);
  expect(await service.inside(`cat ${log}; rm ${log}`)).toBe('before\nafter\nwoken\naborted\n');
});

test('a service that is stopped for a backup runs again before the backup is verified', async () => {
  const before = await starts();
  await service.backUp({ quiesce: { type: 'stop' } });
  await expect.poll(starts).toBe(before + 1);
  expect(await fixture.answer(service.live)).toBe('new');
});

type Header = Partial<TarHeader> & Pick<TarHeader, 'name'>;
/** Stores an archive as if it were a backup. */
async function stored(entries: (Header | [Header, string])[], rows = entries.length): Promise<StoredVolume> {
  const tar = pack();
  for (const one of entries) {
    const [header, text] = Array.isArray(one) ? one : [one, ''];
    tar.entry(header as TarHeader, text);
  }
  tar.finalize();
  return await keep(gzipSync(await buffer(tar)), rows);
}

async function keep(bytes: Buffer, rows: number): Promise<StoredVolume> {
  const id = testId('backup');
  await writeFile(service.pathOf(id), bytes);
  const checksum = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  const { serviceId } = service.live;
  return {
    id,
    serviceId,
    sizeBytes: bytes.length,
    checksum,
    tables: 0,
    rows,
    localPath: service.pathOf(id),
    remoteKey: null,
  };
}

const root: Header = { name: './', type: 'directory' };
const big = 'x'.repeat(2 ** 20);

test.each<[string, (Header | [Header, string])[], string]>([
  ['an absolute path', [root, [{ name: '/etc/evil' }, 'x']], 'the path "/etc/evil", which leads out'],
  ['a path with ..', [root, [{ name: './a/../../evil' }, 'x']], 'which leads out of the volume'],
  [
    'a hard link out',
    [root, { name: './a', type: 'link', linkname: '/etc/passwd' }],
    'which leads out of the volume',
  ],
  [
    'a device',
    [root, { name: './mem', type: 'character-device', devmajor: 1, devminor: 1 }],
    'which is a character-device',
  ],
  [
    'more bytes than the volume may hold',
    [root, [{ name: './a' }, big], [{ name: './b' }, big]],
    'more than the 1 MB',
  ],
  ['fewer entries than were counted', [root], 'has 2 files and directories, but its archive 1'],
])('an archive with %s is refused, and nothing was changed', async (name, entries, why) => {
  const before = await starts();
  const backup = await stored(entries, name.startsWith('fewer') ? 2 : entries.length);
  const spec = service.restoreSpec(backup, { volume: { ...service.volume, sizeMb: 1 } });
  expect(await service.run(spec)).toMatchObject({
    code: 'restore_failed',
    message: expect.stringContaining(why),
  });
  expect([await service.listing(), await starts()]).toEqual([files, before]);
});

test('what lies behind a link in an archive does not leave the volume', async () => {
  const link: Header = { name: './out', type: 'symlink', linkname: '/etc' };
  const backup = await stored([root, link, [{ name: './out/evil' }, 'x']]);
  expect(await service.run(service.restoreSpec(backup))).toMatchObject({ code: 'restore_failed' });
  expect(await service.inside('ls /etc/evil 2>&1; true')).toContain('No such file');
  expect(await service.listing()).toBe(files);
});

test('a damaged archive, and a full volume of random bytes cut short, are refused', async () => {
  const backup = await service.backUp();
  const bytes = await readFile(service.pathOf(backup.id));
  const short = await keep(bytes.subarray(0, bytes.length - 20), backup.rows);
  const noise = await keep(randomBytes(5_000), 1);
  for (const one of [short, noise]) {
    expect(await service.run(service.restoreSpec(one))).toMatchObject({ code: 'restore_failed' });
  }
  expect(await service.listing()).toBe(files);
});

test('files with which the service does not start are taken out again, and it runs with the old ones', async () => {
  const backup = await stored([root, { name: './value', type: 'directory' }]);
  expect(await service.run(service.restoreSpec(backup))).toMatchObject({
    code: 'restore_failed',
    message: expect.stringContaining('does not stay up with the restored files'),
  });
  expect(await service.listing()).toBe(files);
  await expect.poll(() => fixture.answer(service.live).catch(() => '')).toBe('new');
});

test('a restore without permission for the switch changes nothing', async () => {
  const backup = await service.backUp();
  await service.inside(`touch ${volumeDirectory}/later`);
  const result = await service.run(service.restoreSpec(backup), testContext({ grant: () => false }));
  expect(result).toMatchObject({ code: 'switch_denied' });
  await service.inside(`rm ${volumeDirectory}/later`);
  expect(await service.listing()).toBe(files);
});

test('a backup of a volume that is not on the host says what to do', async () => {
  const spec = service.backupSpec({ volume: { id: testId('volume'), name: 'new', sizeMb: null } });
  expect(await service.run(spec)).toMatchObject({
    code: 'start_failed',
    message: expect.stringContaining('deploy the service'),
  });
});
