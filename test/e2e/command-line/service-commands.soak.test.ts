/** Mounted files, settings, traffic rules, alert rules and restores by command line, against a real instance. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildImage, removeImages } from '../../support/instance/image.ts';
import { useCommandLine } from '../../support/instance/use-command-line.ts';
import { useInstance } from '../../support/instance/use-instance.ts';

const image = 'longshore-e2e-service-commands:1';
/** Answers with the content of its mounted file. */
const server = `const fs = require('fs'), file = '/etc/app/app.conf';
require('http').createServer((_, reply) => reply.end(fs.existsSync(file) ? fs.readFileSync(file) : 'none')).listen(3000);
process.on('SIGTERM', () => process.exit());`;
const longshore = useInstance();
const cli = useCommandLine(longshore);
afterAll(() => removeImages(image));

beforeAll(async () => {
  await buildImage(image, {
    'server.js': server,
    Dockerfile: 'FROM node:24-slim\nCOPY server.js /server.js\nCMD ["node", "/server.js"]\n',
  });
  const project = await longshore.newProject('shop');
  const ofImage = { repoUrl: 'container-image', imageRef: image, internalPort: 3000 };
  const service = await longshore.newService(project, { name: 'web', ...ofImage });
  await longshore.deploy(service.id);
  await cli.ok('link', 'shop/web');
});

async function page(): Promise<string> {
  const { services } = await cli.json('ps', '-p', 'shop');
  return (await fetch(services[0].localUrl)).text();
}

test('a file reaches the app with a restart, is listed with what waits, and is removed by its path', async () => {
  const path = '/etc/app/app.conf';
  const input = 'mode = production\n\ttabs and "quotes" stay\n';
  expect((await cli.run(['files', 'set', path, '--no-secret'], { input })).code).toBe(0);
  expect(await cli.ok('files', 'list')).toMatch(/app\.conf +0444 +\d+ B +plain +with the next restart/);
  await cli.ok('restart', '--wait');
  expect(await page()).toBe(input);
  expect((await cli.run(['files', 'show', path])).out).toBe(input);
  await writeFile(join(cli.home, 'new.conf'), 'second');
  await cli.ok('files', 'set', path, 'new.conf', '--mode', '0440');
  expect((await cli.json('files', 'list')).files).toMatchObject([
    { path, content: 'second', secret: false, mode: '0440' },
  ]);
  await writeFile(join(cli.home, 'image.png'), Uint8Array.of(0x89, 0x50, 0xff));
  for (const [args, said] of [
    [['set', '/etc/app/image.png', 'image.png'], 'not text in UTF-8'],
    [['set', '/etc/app/x', 'absent.conf'], 'cannot be read'],
    [['remove', '/etc/app/app.cnf', '-y'], `Did you mean ${path}?`],
    [['remove', path], '-y'],
  ] as const) {
    const { code, err } = await cli.run(['files', ...args]);
    expect([code, err]).toEqual([2, expect.stringContaining(said)]);
  }
  await cli.ok('files', 'remove', path, '-y');
  expect((await cli.json('files', 'list')).files).toEqual([]);
});

test('settings are changed together or not at all, and the next command is named', async () => {
  const changed = await cli.run(['settings', 'set', 'replicas=2', 'memoryLimitMb=128', 'healthCheckPath=/']);
  expect([changed.code, changed.out], changed.err).toEqual([0, 'replicas\nmemoryLimitMb\nhealthCheckPath\n']);
  expect(changed.err).toContain('longshore restart shop/web');
  expect(await cli.ok('settings', 'show')).toMatch(
    /\nreplicas +2\nmemoryLimitMb +128\nhealthCheckPath +\/\n/,
  );
  const refused = await cli.run(['settings', 'set', 'replicas=3', 'memoryLimitMb=1']);
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('memoryLimitMb')]);
  const { settings } = await cli.json('settings', 'show');
  expect(settings).toMatchObject({ replicas: '2', memoryLimitMb: '128' });
  expect(settings).not.toHaveProperty('gitToken');
  await cli.ok('settings', 'set', 'replicas=1', 'memoryLimitMb=', 'healthCheckPath=');
  expect(await cli.ok('settings', 'show')).not.toContain('memoryLimitMb');
  expect(await cli.ok('settings', 'show', '--all')).toContain('memoryLimitMb');
});

test('traffic rules are shown as a file that sets them again; maintenance changes nothing else', async () => {
  const rules =
    '{"maxBodyMegabytes":10,"redirects":[{"fromPath":"/old","to":"/new","domains":["a.localhost"]}]}';
  await cli.ok('domains', 'add', 'a.localhost');
  const set = await cli.run(['traffic', 'set'], { input: rules });
  expect(set.code, set.err).toBe(0);
  await writeFile(join(cli.home, 'rules.json'), await cli.ok('traffic', 'show'));
  await cli.ok('traffic', 'set', 'rules.json');
  await cli.ok('traffic', 'maintenance', 'on', '-y', '--allow', '203.0.113.7', '--domain', 'a.localhost');
  const { rules: shown } = await cli.json('traffic', 'show');
  expect(shown).toMatchObject({
    maxBodyMegabytes: 10,
    redirects: [{ fromPath: '/old', to: '/new' }],
    maintenance: { domains: ['a.localhost'], allowedAddresses: ['203.0.113.7'] },
  });
  expect((await cli.json('traffic', 'show', '--domain', 'b.localhost')).rules).toMatchObject({
    maxBodyMegabytes: 10,
    redirects: [],
    maintenance: null,
  });
  const other = await cli.run(['traffic', 'maintenance', 'off', '--domain', 'b.localhost']);
  expect([other.code, other.err]).toEqual([2, expect.stringContaining('not only for b.localhost')]);
  await cli.ok('traffic', 'maintenance', 'off');
  expect((await cli.json('traffic', 'show')).rules).toMatchObject({
    maintenance: null,
    maxBodyMegabytes: 10,
  });
  expect((await cli.run(['traffic', 'set'], { input: '[1]' })).code).toBe(2);
  const wrong = await cli.run(['traffic', 'set'], { input: '{"maxBodyMegabytes":3}' });
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('maxBodyMegabytes')]);
});

test('alert rules are added, changed, switched and removed by their names, default ones only switched', async () => {
  const rules = (...args: string[]) => cli.ok('alerts', 'rules', ...args);
  await rules('add', 'Busy', 'cpuPercent', 'above', '80', '--for', '5m', '-s', 'shop/web');
  await rules('change', 'Busy', '--threshold', '90');
  await rules('off', 'Busy');
  await rules('off', 'restarts');
  expect(await rules('list')).toMatch(/Busy +off +web +cpuPercent above 90 % for 300 s\n/);
  expect(await rules('list')).toMatch(/\nrestarts +off \(project\) +default/);
  await rules('on', 'Busy');
  await rules('on', 'restarts');
  const { rules: own, defaults } = await cli.json('alerts', 'rules', 'list');
  expect(own).toMatchObject([{ name: 'Busy', threshold: 90, forSeconds: 300, enabled: true }]);
  expect(defaults.every((one: { enabled: boolean }) => one.enabled)).toBe(true);
  for (const [args, said] of [
    [['rules', 'remove', 'memory', '-y'], 'longshore alerts rules off memory'],
    [['rules', 'off', 'restart'], 'Did you mean restarts?'],
    [['rules', 'change', 'Busy'], '--threshold'],
    [['ack', 'memory'], 'There is no open alert of the rule "memory"'],
  ] as const) {
    const { code, err } = await cli.run(['alerts', ...args]);
    expect([code, err]).toEqual([2, expect.stringContaining(said)]);
  }
  const unknown = await cli.run(['alerts', 'rules', 'add', 'x', 'cpuPercnt', 'above', '1']);
  expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('cpuPercent')]);
  await rules('remove', 'Busy', '-y');
  expect((await cli.json('alerts', 'rules', 'list')).rules).toEqual([]);
});

test('a volume, a service and a project are restored by the names that they had', async () => {
  await cli.ok('volumes', 'create', 'uploads', '/uploads');
  expect((await cli.run(['volumes', 'remove', 'uploads', '-y'])).err).toContain(
    'longshore restore shop/web/uploads',
  );
  expect(await cli.ok('restore')).toMatch(/shop\/web\/uploads +volume/);
  await cli.ok('restore', 'shop/web/uploads');
  expect(await cli.ok('volumes', 'list')).toContain('uploads');
  const nothing = await cli.run(['restore', 'shop/web/uploads']);
  expect([nothing.code, nothing.err]).toEqual([2, expect.stringContaining('There is no')]);
  expect((await cli.run(['rename', 'shop/web', 'Front end'])).err).toContain('still use its slug web');
  const gone = await cli.run(['down', 'shop/web', '-y']);
  expect([gone.code, gone.err]).toEqual([0, expect.stringContaining('longshore restore shop/front-end')]);
  expect((await cli.json('ps')).services).toEqual([]);
  await cli.ok('restore', 'shop/front-end');
  expect((await cli.json('ps')).services).toMatchObject([{ project: 'shop', slug: 'web' }]);
  await cli.ok('down', 'shop', '--all', '-y');
  const back = await cli.run(['restore', 'shop']);
  expect([back.code, back.err]).toEqual([0, expect.stringContaining('longshore link shop')]);
  expect((await cli.json('ps')).services).toMatchObject([{ project: 'shop', slug: 'web' }]);
  await longshore.newProject('other');
  expect(await cli.ok('transfer', 'other', '-s', 'shop/web')).toBe('other/web');
  expect((await cli.json('ps')).services).toMatchObject([{ project: 'other', slug: 'web' }]);
  expect(await cli.ok('rename', 'other', 'Other shop')).toBe('Other shop');
  const missing = await cli.run(['transfer', 'shp', '-s', 'other/web']);
  expect([missing.code, missing.err]).toEqual([2, expect.stringContaining('Did you mean shop?')]);
});
