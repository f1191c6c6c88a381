/** `longshore db` as people and scripts use it, against a real control plane, host and database. */
import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { buildImage, removeImages } from '../../support/instance/image.ts';
import { useCommandLine } from '../../support/instance/use-command-line.ts';
import { useInstance } from '../../support/instance/use-instance.ts';

const longshore = useInstance();
const cli = useCommandLine(longshore);

beforeAll(async () => {
  await longshore.newProject('shop');
});

test('create ends when the database answers; list and url name it', async () => {
  const { code, out, err } = await cli.run(['db', 'create', 'db', '-p', 'shop', '--engine', 'postgres']);
  expect([code, out.trim()], err).toEqual([0, 'shop/db']);
  expect(err).toMatch(/longshore env set -s SERVICE 'DATABASE_URL=\$\{db\.DATABASE_URL\}'/);
  expect(await cli.ok('db', 'list')).toMatch(/^NAME.*\nshop\/db +postgres +active$/);
  expect(await cli.ok('db', 'url', 'shop/db')).toMatch(/^postgresql:\/\/app:\S+@db:5432\/app$/);
  const closed = await cli.run(['db', 'url', 'shop/db', '--public']);
  expect([closed.code, closed.err]).toEqual([1, expect.stringContaining('databasePublicEnabled')]);
});

test('query takes its statement from an argument or stdin, and prints rows as a table or as JSON', async () => {
  await cli.ok('db', 'query', 'create table notes (id int primary key, text text)');
  const piped = await cli.run(['db', 'query'], { input: "insert into notes values (1, 'one'), (2, null)" });
  expect(piped.code, piped.err).toBe(0);
  expect(await cli.ok('db', 'query', 'select * from notes order by id')).toBe('id  text\n1   one\n2   NULL');
  expect((await cli.json('db', 'query', 'select id from notes order by id')).rows).toEqual([
    { id: 1 },
    { id: 2 },
  ]);
  expect(await cli.ok('db', 'tables')).toMatch(/public +notes +2/);
  const wrong = await cli.run(['db', 'query', 'selct 1']);
  expect([wrong.code, wrong.out]).toEqual([1, '']);
  expect(wrong.err).toContain('selct');
});

test('a backup that was waited for can be downloaded, and restore brings its rows back after -y', async () => {
  const id = await cli.ok('db', 'backup', '--wait', '--storage', 'disk');
  expect(await cli.ok('db', 'backups')).toMatch(new RegExp(`${id} +succeeded`));
  await cli.ok('db', 'download', 'latest', '-o', 'shop.dump');
  expect((await stat(join(cli.home, 'shop.dump'))).mode & 0o777).toBe(0o600);
  await cli.ok('db', 'query', 'delete from notes');
  const unasked = await cli.run(['db', 'restore', id]);
  expect([unasked.code, unasked.err]).toEqual([2, expect.stringContaining('-y')]);
  expect((await cli.json('db', 'query', 'select id from notes')).rows).toEqual([]);
  const restored = await cli.run(['db', 'restore', id, '-y', '--wait']);
  expect(restored).toMatchObject({ code: 0 });
  expect(restored.err).toMatch(/To get the former data back: longshore db restore \w+ -s /);
  expect((await cli.json('db', 'query', 'select id from notes')).rows).toHaveLength(2);
});

test('import fills another database from the downloaded file, and refuses data that is there without --replace', async () => {
  await cli.ok('db', 'create', 'copy', '-p', 'shop', '--engine', 'postgres');
  await cli.ok('db', 'import', 'shop.dump', '-s', 'copy', '--wait');
  expect((await cli.json('db', 'query', '-s', 'copy', 'select id from notes')).rows).toHaveLength(2);
  const refused = await cli.run(['db', 'import', 'shop.dump', '-s', 'copy', '--wait']);
  const [, upload = ''] = /--upload (\S+)/.exec(refused.err) ?? [];
  expect([refused.code, upload], refused.err).toEqual([1, expect.stringMatching(/./)]);
  await cli.ok('db', 'import', 'shop.dump', '-s', 'copy', '--upload', upload, '--replace', '-y', '--wait');
  expect(await cli.ok('db', 'imports', 'copy')).toMatch(/succeeded/);
});

test('import reads the URL of the source from stdin, and its failure ends with 1 and the reason', async () => {
  const input = 'postgres://nobody:s3cret-of-source@127.0.0.1:1/none';
  const { code, out, err } = await cli.run(['db', 'import', '-', '-s', 'copy', '--replace', '-y', '--wait'], {
    input,
  });
  expect([code, out], err).toEqual([1, '']);
  expect(err).not.toContain('s3cret-of-source');
});

test("shell runs the engine's own program in its container, without Docker here, and passes on its exit code", async () => {
  const env = { PATH: cli.home };
  const answered = await cli.run(['db', 'shell', 'db'], { input: 'select count(*) from notes;\n', env });
  expect([answered.code, answered.out], answered.err).toEqual([0, expect.stringContaining(' 2\n')]);
  const failed = await cli.run(['db', 'shell', 'db'], { input: '\\set ON_ERROR_STOP 1\nselct;\n' });
  expect(failed.code, failed.err).toBe(3);
});

test('abort ends the one backup that runs, and says so when nothing runs', { timeout: 600_000 }, async () => {
  const nothing = await cli.run(['db', 'abort', 'db']);
  expect([nothing.code, nothing.err]).toEqual([1, expect.stringContaining('No backup')]);
  // The dump waits for the table as long as this shell holds it: longer than all commands below take on a busy machine.
  const input = 'begin; lock table notes; select pg_sleep(900);\n';
  const holder = cli.run(['db', 'shell', 'db'], { input });
  const ask = (sql: string) => cli.json('db', 'query', '-s', 'db', sql);
  const isHeld = "select 1 from pg_locks where relation = 'notes'::regclass and mode = 'AccessExclusiveLock'";
  await expect.poll(async () => (await ask(isHeld)).rows, { timeout: 60_000 }).toHaveLength(1);
  const id = await cli.ok('db', 'backup', 'db', '--storage', 'disk');
  const other = await cli.run(['db', 'abort', 'db', '--work', 'bak_other']);
  expect([other.code, other.err]).toEqual([2, expect.stringContaining(`${id} (backup)`)]);
  expect(await cli.ok('db', 'abort', 'db')).toBe(id);
  await expect
    .poll(() => cli.ok('db', 'backups', 'db'), { timeout: 60_000 })
    .toMatch(new RegExp(`${id} +failed .*It was aborted`));
  await ask(
    "select pg_terminate_backend(pid) from pg_stat_activity where query like '%pg_sleep%' and pid <> pg_backend_pid()",
  );
  await holder;
});

test('upgrade tries the new version on a copy first, upgrades, and goes back', {
  timeout: 600_000,
}, async () => {
  const image = 'longshore-e2e.invalid/postgres:18';
  await buildImage(image, { Dockerfile: 'FROM postgres:17\n' });
  onTestFinished(() => removeImages(image));
  const imageNow = async () => (await cli.json('db', 'upgrades', 'copy')).upgrades[0];
  await cli.ok('db', 'upgrade', 'copy', '--image', image, '--dry-run', '--wait');
  expect(await imageNow()).toMatchObject({ action: 'dry-run', status: 'succeeded' });
  const unasked = await cli.run(['db', 'upgrade', 'copy', '--image', image]);
  expect([unasked.code, unasked.err]).toEqual([2, expect.stringContaining('-y')]);
  expect((await cli.run(['db', 'upgrade', 'copy'])).code).toBe(2);
  await cli.ok('db', 'upgrade', 'copy', '--image', image, '--wait', '-y');
  expect(await imageNow()).toMatchObject({ action: 'upgrade', status: 'succeeded', toImage: image });
  await cli.ok('db', 'upgrade', 'copy', '--undo', '--wait', '-y');
  expect(await cli.ok('db', 'upgrades', 'copy')).toMatch(/undo +succeeded/);
  const older = await cli.run(['db', 'upgrade', 'copy', '--image', 'postgres:9', '--wait', '-y']);
  expect([older.code, older.out]).toEqual([2, '']);
});

test.each([
  [
    'mysql',
    "create table notes (text text); insert into notes values ('kept'); select text from notes;\n",
    'kept',
  ],
  ['redis', 'set note kept\nget note\n', 'kept'],
])('shell of %s logs in by itself, by the variables of its container', async (engine, input, answer) => {
  await cli.ok('db', 'create', engine, '-p', 'shop', '--engine', engine);
  const { code, out, err } = await cli.run(['db', 'shell', engine], { input });
  expect([code, out], err).toEqual([0, expect.stringContaining(answer)]);
});

test('a name that is missing is answered with the nearest one', async () => {
  const near = await cli.run(['db', 'tables', 'shop/cpy']);
  expect([near.code, near.err]).toEqual([2, expect.stringContaining('Did you mean shop/copy')]);
  const ambiguous = await cli.run(['db', 'tables']);
  expect([ambiguous.code, ambiguous.err]).toEqual([2, expect.stringContaining('shop/db, shop/copy')]);
  const missing = await cli.run(['db', 'import', 'not-there.dump', '-s', 'db']);
  expect([missing.code, missing.err]).toEqual([2, expect.stringContaining('not-there.dump')]);
});

test('a script of CI under set -e needs no file with a key, and ends at the first command that fails', async () => {
  const { url, apiKey } = JSON.parse(await readFile(join(longshore.dataDirectory, 'local.json'), 'utf8'));
  const script = `set -euo pipefail
longshore() { "${process.execPath}" "${cli.program}" "$@"; }
backup=$(longshore db backup -s shop/db --wait --timeout 170)
longshore db backups shop/db --json | grep -q "$backup"
echo 'select count(*) from notes' | longshore db query -s shop/db | tail -1
longshore db query -s shop/db 'select * from not_there'
echo unreachable`;
  const env = { PATH: process.env.PATH, CI: 'true', LONGSHORE_URL: url, LONGSHORE_KEY: apiKey };
  const ended = await promisify(execFile)('bash', ['-c', script], { env }).then(
    () => undefined,
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
  expect([ended?.code, ended?.stdout], ended?.stderr).toEqual([1, '2\n']);
  expect(ended?.stderr).toContain('not_there');
});
