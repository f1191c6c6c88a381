/** From a folder without git to a URL: the bundled command line, a real control plane with its bucket, and a real host. */
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { webApp } from '../../support/instance/repository.ts';
import { useCommandLine } from '../../support/instance/use-command-line.ts';
import { useInstance } from '../../support/instance/use-instance.ts';

const longshore = useInstance();
const user = useCommandLine(longshore);

async function write(files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(user.home, path)), { recursive: true });
    await writeFile(join(user.home, path), text);
  }
}

async function page(): Promise<string> {
  const { services } = await user.json('ps', '-p', 'shop');
  return (await fetch(services[0].localUrl)).text();
}

beforeAll(async () => {
  // The home of the user is the folder: the program and its keys lie there, too.
  await write({
    ...webApp('one'),
    '.longshoreignore': 'longshore.mjs\ncontexts.json\n',
    '.env': 'SECRET=never-sent\n',
    'node_modules/large.js': 'x'.repeat(1_000_000),
  });
});

test('a folder without git is sent, built and served, and nothing that is secret or made leaves it', async () => {
  const unasked = await user.run(['up', '-s', 'shop/web']);
  expect([unasked.code, unasked.out]).toEqual([2, '']);
  const { code, out, err } = await user.run(['up', '-s', 'shop/web', '-y']);
  expect(code, err).toBe(0);
  expect(err).toMatch(/\+ service web from this folder\n> deploy this folder: 2 files, \d+ B/);
  expect(err).toContain('.env is not sent');
  expect(err).toMatch(/Unpacked 2 files/);
  expect(out.trim()).toMatch(/^http/);
  expect(await page()).toContain('one');
});

test('an unchanged folder is not deployed again, with --force not sent again, and a changed one is', async () => {
  const same = await user.run(['up']);
  expect([same.code, same.out.trim()], same.err).toEqual([0, expect.stringMatching(/^http/)]);
  expect(same.err).toContain('Nothing has changed');
  const again = await user.run(['up', '-d', '--force']);
  expect(again.code, again.err).toBe(0);
  expect(again.err).toContain('Nothing to send');
  await write(webApp('two'));
  const { code, err } = await user.run(['up']);
  expect(code, err).toBe(0);
  expect(err).toMatch(/Sent \d+ B/);
  expect(await page()).toContain('two');
  const { deployments } = await user.json('releases');
  expect(deployments[0].sourceDigest).toMatch(/^sha256:/);
  expect(deployments[0].sourceDigest).not.toBe(deployments[1].sourceDigest);
});

test('the control plane serves the guide as Markdown, and llms.txt lists it', async () => {
  const get = async (path: string) => {
    const response = await fetch(`${user.url}${path}`);
    return [response.status, response.headers.get('content-type'), await response.text()];
  };
  expect(await get('/llms.txt')).toEqual([
    200,
    'text/plain; charset=utf-8',
    expect.stringContaining('](/docs/guide/deploy.md)'),
  ]);
  expect(await get('/docs/guide/deploy.md')).toEqual([
    200,
    'text/markdown; charset=utf-8',
    expect.stringContaining('# Deploy'),
  ]);
  expect((await get('/docs'))[1]).toBe('text/html; charset=utf-8');
  for (const path of ['/docs/nothing.md', '/docs/..%2f..%2fx.md', '/docs/'])
    expect((await get(path))[0]).toBe(404);
});

test('a folder that does not build ends with 1 and the reason; the version before serves, and comes back by rollback', async () => {
  await write({ Dockerfile: 'FROM node:24-slim\nRUN echo "cannot go on" && false' });
  const failed = await user.run(['up']);
  expect(failed.code, failed.err).toBe(1);
  expect(failed.err).toContain('cannot go on');
  expect(failed.err).toMatch(/What happened: .+\nWhy: .+\nWhat to do: .+/);
  expect(failed.err).toContain('The previous version keeps serving.');
  expect(await page()).toContain('two');
  const explained = await user.ok('explain');
  // The version before answers, and the line of the error is marked.
  expect(explained).toMatch(/^Deployment dep_\w+\ndep_\w+ keeps serving, since \S+\.\n[\s\S]*^> /m);
  expect(explained).toMatch(/^What happened: The build step .+ \(exit code 1\)/m);
  expect(explained.trimEnd().split('\n').at(-1)).toBe('  longshore up');
  expect(explained).not.toMatch(/\bgit\b/);
  await user.ok('rollback', '--wait');
  expect(await page()).toContain('one');
  // The newest command is explained once no deployment has failed since.
  expect((await user.run(['run', '--', 'node', 'absent.js'])).code).toBe(1);
  expect(await user.ok('explain')).toMatch(
    /^Command \w+\n[\s\S]*^> Error: Cannot find module '\/app\/absent\.js'[\s\S]*^What happened: Node did not find the file .*absent\.js/m,
  );
  const nothing = await user.run(['explain', '--deployment', 'dep_nothing']);
  expect(nothing.code).toBe(1);
});

/** As CI runs it: nothing is asked, and the first command that fails ends it. */
const script = `
set -euo pipefail
longshore() { "$NODE" ./longshore.mjs "$@"; }
longshore db create db -p shop --engine postgres
longshore env set 'DATABASE_URL=\${db.DATABASE_URL}' GREETING=from-ci
longshore restart --wait
longshore run -- sh -c 'test -n "$DATABASE_URL" && echo "$GREETING"'
test "$(longshore db query -s db --json 'select 6 * 7 as n' | "$NODE" -p 'JSON.parse(fs.readFileSync(0)).rows[0].n')" = 42
longshore logs > running.log
longshore down -y -s db
longshore down -y --all
test ! -e .longshore.json
`;

test('a script under set -e adds a database and a variable, uses both, and takes all of it down', async () => {
  const env = {
    PATH: process.env.PATH,
    HOME: user.home,
    LONGSHORE_CONFIG_DIR: user.home,
    NODE: process.execPath,
  };
  const { stdout, stderr } = await promisify(execFile)('bash', ['-c', script], { cwd: user.home, env });
  expect(stdout, stderr).toContain('from-ci\n');
  expect(stdout).toMatch(/shop\/db\nshop\n$/);
  expect(stderr).toContain('longshore restore shop');
  expect(await readFile(join(user.home, 'running.log'), 'utf8')).not.toBe('');
  expect((await user.json('ps')).services).toEqual([]);
});
