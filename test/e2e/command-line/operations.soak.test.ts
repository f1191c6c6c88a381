/** Volumes, schedules, hosts, keys, registries, `env apply` and chosen log lines by command line, against a real instance. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildImage, removeImages } from '../../support/instance/image.ts';
import { useCommandLine } from '../../support/instance/use-command-line.ts';
import { useInstance } from '../../support/instance/use-instance.ts';

const image = 'longshore-e2e-command-line:1';
/** Writes to its volume what a request asks for, and answers with what is there. */
const server = `const fs = require('fs'), file = '/data/text';
for (const n of [1, 2, 3]) console.log('line ' + n);
require('http').createServer((request, reply) => {
  if (request.url.length > 1) fs.writeFileSync(file, request.url.slice(1));
  reply.end(fs.existsSync(file) ? fs.readFileSync(file) : 'none');
}).listen(3000);
process.on('SIGTERM', () => process.exit());`;
const longshore = useInstance();
const cli = useCommandLine(longshore);
let localUrl: string;
afterAll(() => removeImages(image));

beforeAll(async () => {
  await buildImage(image, {
    'server.js': server,
    Dockerfile: 'FROM node:24-slim\nCOPY server.js /server.js\nCMD ["node", "/server.js"]\n',
  });
  const project = await longshore.newProject('shop');
  const ofImage = { repoUrl: 'container-image', imageRef: image, internalPort: 3000 };
  const service = await longshore.newService(project, { name: 'web', ...ofImage });
  const volume = { name: 'files', mountPath: '/data', sizeMb: 64 };
  await longshore.ask('POST', `/api/services/${service.id}/volumes`, volume);
  await longshore.deploy(service.id);
  localUrl = service.localUrl;
  await cli.ok('link', 'shop/web');
});

const visit = async (path = '') => (await fetch(`${localUrl}/${path}`)).text();

test('a volume is backed up by its name, and restore brings its files back after -y', async () => {
  expect(await cli.ok('volumes', 'list')).toMatch(/files +\/data/);
  await visit('before');
  const id = await cli.ok('volumes', 'backup', 'files', '--quiesce', 'stop', '--wait');
  expect(await cli.ok('volumes', 'backups')).toMatch(new RegExp(`${id} +files +succeeded`));
  await visit('after');
  const unasked = await cli.run(['volumes', 'restore', id]);
  expect([unasked.code, unasked.err]).toEqual([2, expect.stringContaining('-y')]);
  expect(await visit()).toBe('after');
  await cli.ok('volumes', 'restore', 'latest', '-y', '--wait');
  await expect.poll(() => visit().catch(() => ''), { timeout: 30_000 }).toBe('before');
  await cli.ok('volumes', 'create', 'more', '/more', '--size', '64');
  expect(await cli.ok('volumes', 'list')).toMatch(/more +\/more .*64 MB/);
  expect((await cli.run(['volumes', 'change', 'more'])).code).toBe(2);
  await cli.ok('volumes', 'change', 'more', '--name', 'most', '--path', '/most', '--size', 'off');
  expect(await cli.ok('volumes', 'list')).toMatch(/most +\/most *$/m);
  await cli.ok('volumes', 'remove', 'most', '-y');
  expect(await cli.ok('volumes', 'list')).not.toContain('most');
  const near = await cli.run(['volumes', 'backup', 'file']);
  expect([near.code, near.err]).toEqual([2, expect.stringContaining('Did you mean files?')]);
});

test('commands in the running container work on its volume, at once and by a schedule; those in a new one do not see it', async () => {
  await visit('seen');
  expect(await cli.ok('run', '--live', '--', 'cat /data/text; echo changed > /data/text')).toBe('seen');
  expect(await visit()).toBe('changed\n');
  expect((await cli.run(['run', '--', 'cat /data/text'])).code).toBe(1);
  await cli.ok('cron', 'create', 'tidy', '0 3 * * *', '--live', '--', 'rm /data/text');
  expect((await cli.json('cron', 'list')).schedules).toMatchObject([{ name: 'tidy', container: 'live' }]);
  await cli.ok('cron', 'run', 'tidy');
  expect(await visit()).toBe('none');
  await cli.ok('cron', 'remove', 'tidy', '-y');
  await cli.ok('stop');
  const refused = await cli.run(['run', '--live', '--', 'true']);
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('set "container" to "new"')]);
  await cli.ok('start', '--wait');
});

test('a schedule is created, paused, resumed and removed by its name', async () => {
  await cli.ok('cron', 'create', 'nightly', '0 3 * * *', '--zone', 'Europe/Berlin', '--', 'echo', "it's");
  const { schedules } = await cli.json('cron', 'list');
  expect(schedules).toMatchObject([
    { name: 'nightly', timeZone: 'Europe/Berlin', command: "echo 'it'\\''s'" },
  ]);
  await cli.ok('cron', 'pause', 'nightly');
  expect(await cli.ok('cron', 'list')).toContain('paused');
  await cli.ok('cron', 'resume', 'nightly');
  expect((await cli.json('cron', 'list')).schedules[0].nextRunAt).not.toBeNull();
  expect((await cli.json('cron', 'runs', 'nightly')).occurrences).toEqual([]);
  await cli.ok('cron', 'create', 'failing', '0 3 * * *', '--limit', '2m', '--', 'echo out; exit 7');
  const now = await cli.run(['cron', 'run', 'failing']);
  expect([now.code, now.out]).toEqual([7, 'out\n']);
  expect(await cli.ok('cron', 'run', 'failing', '--detach')).toMatch(/^cmd_/);
  await cli.ok('cron', 'remove', 'failing', '-y');
  expect((await cli.run(['cron', 'remove', 'nightly'])).code).toBe(2);
  await cli.ok('cron', 'remove', 'nightly', '-y');
  expect((await cli.json('cron', 'list')).schedules).toEqual([]);
});

test('keys of people get the way to the operator; the operator lists hosts, and none can be added where only this machine reaches the instance', async () => {
  const refused = await cli.run(['hosts', 'list']);
  expect([refused.code, refused.out, refused.err]).toEqual([
    1,
    '',
    expect.stringContaining('operator token'),
  ]);
  const operator = { LONGSHORE_URL: cli.url, LONGSHORE_KEY: longshore.operatorToken };
  const asOperator = (...args: string[]) => cli.run(args, { env: operator });
  expect((await asOperator('hosts', 'list')).out).toContain('connected');
  const added = await asOperator('hosts', 'add', 'server-2');
  expect([added.code, added.out], added.err).toEqual([1, '']);
  expect(added.err).toMatch(/npm start -- --listen ADDRESS.*docs\/operate\/reverse-proxy\.md/);
  expect((await asOperator('hosts', 'remove', 'nobody', '-y')).code).toBe(2);
  const made = await asOperator('keys', 'create', 'ci', '--access', 'read');
  expect([made.code, made.out.trim()], made.err).toEqual([0, expect.stringMatching(/^\S+$/)]);
  const asReader = { LONGSHORE_URL: cli.url, LONGSHORE_KEY: made.out.trim() };
  expect((await cli.run(['ps'], { env: asReader })).code).toBe(0);
  expect((await asOperator('keys', 'list')).out).toMatch(/ci +read/);
  expect((await asOperator('keys', 'revoke', 'ci', '-y')).code).toBe(0);
  expect((await cli.run(['ps'], { env: asReader })).code).toBe(1);
});

test('the password of a registry comes from stdin and is never shown; logout removes it', async () => {
  const login = ['registries', 'login', 'registry.example.com', 'bot', '--stdin'];
  for (const input of ['first-secret\n', 'second-secret']) {
    const { code, out, err } = await cli.run(login, { input });
    expect([code, out.trim()], err).toEqual([0, 'registry.example.com']);
  }
  expect(await cli.ok('registries', 'list')).toMatch(/registry\.example\.com +bot/);
  expect(JSON.stringify(await cli.json('registries', 'list'))).not.toContain('secret');
  await cli.ok('registries', 'logout', 'registry.example.com', '-y');
  expect((await cli.json('registries', 'list')).registries).toEqual([]);
});

test('env apply makes the variables equal to the file, and changes nothing without -y', async () => {
  await cli.ok('env', 'set', 'KEPT=1', 'CHANGED=old', 'GONE=1');
  await writeFile(join(cli.home, 'wanted.env'), 'KEPT=1\nCHANGED=new\nADDED=1\n');
  const unasked = await cli.run(['env', 'apply', 'wanted.env']);
  expect([unasked.code, unasked.out]).toEqual([2, '']);
  expect(await cli.ok('env', 'apply', 'wanted.env', '-y')).toBe('+ ADDED\n~ CHANGED\n- GONE');
  expect(await cli.ok('env', 'diff', 'wanted.env')).toBe('');
  expect(await cli.ok('env', 'apply', 'wanted.env', '-y')).toBe('No differences.');
});

test('logs shows the last lines, and those since a time', async () => {
  expect(await cli.ok('logs', '--runtime', '--lines', '1')).toBe('line 3');
  expect((await cli.ok('logs', '--runtime', '--since', '1h')).split('\n')).toEqual(
    expect.arrayContaining(['line 1', 'line 2', 'line 3']),
  );
  expect(await cli.ok('logs', '--runtime', '--since', '0s')).toBe('');
  expect(await cli.ok('logs', '--runtime', '--until', '1h')).toBe('');
  expect(await cli.ok('logs', '--runtime', '--since', '1h', '--until', '0s')).toContain('line 3');
  expect((await cli.run(['logs', '-f', '--until', '1h'])).code).toBe(2);
  expect((await cli.run(['logs', '--since', 'yesterday'])).code).toBe(2);
  const found = (await cli.ok('logs', '--runtime', '--regex', '^line [13]$', '--lines', '300')).split('\n');
  // Each deployment of the tests above printed them.
  expect([...new Set(found)]).toEqual(['line 1', 'line 3']);
  const broken = await cli.run(['logs', '--runtime', '--regex', '(?=x)']);
  expect([broken.code, broken.err]).toEqual([2, expect.stringContaining('RE2')]);
});
