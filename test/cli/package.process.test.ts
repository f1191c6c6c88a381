/** The package as somebody gets it from a registry: packed, and installed into an empty folder. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makePackage } from '../../cli/package.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
let folder: string;
/** The machine's own Node if there is one (the oldest that has to work is 20), else that of the project. */
let node: string;

beforeAll(async () => {
  const directory = await mkdtemp(join(tmpdir(), 'longshore-package-'));
  folder = join(directory, 'empty');
  await mkdir(folder);
  const made = await makePackage(join(directory, 'package'));
  const { stdout } = await run('npm', ['pack', made, '--pack-destination', directory, '--silent']);
  const tarball = join(directory, stdout.trim());
  await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: folder });
  node = await run('/usr/bin/node', ['--version']).then(
    () => '/usr/bin/node',
    () => process.execPath,
  );
}, 60_000);
afterAll(() => rm(join(folder, '..'), { recursive: true, force: true }));

const program = () => join(folder, 'node_modules/.bin/longshore');
/** Without the project's own programs. */
const env = { PATH: '/usr/bin:/bin' };

test('the installed command prints its help and its version, and the package needs no other', async () => {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  expect((await run(node, [program(), '--version'], { env })).stdout.trim()).toBe(version);
  const { stdout, stderr } = await run(node, [program(), '--help'], { env });
  expect([stdout.includes('longshore login'), stderr]).toEqual([true, '']);
  const lock = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8'));
  expect(Object.keys(lock.packages)).toEqual(['', 'node_modules/longshore']);
});

test('the installed client is imported and calls the API', async () => {
  const text = `import { createServer } from 'node:http';
import { createClient, LongshoreError } from 'longshore/client';
const server = createServer((_, reply) => reply.writeHead(403).end('{"error":"May not.","code":"forbidden"}'));
server.listen(0, '127.0.0.1', async () => {
  const client = createClient({ url: 'http://127.0.0.1:' + server.address().port, token: 'key' });
  const error = await client.call('GET /api/projects').catch((error) => error);
  console.log(error instanceof LongshoreError, error.status, error.code);
  server.close();
});`;
  await writeFile(join(folder, 'use.js'), text);
  expect((await run(node, ['use.js'], { cwd: folder, env })).stdout).toBe('true 403 forbidden\n');
});

/** What TypeScript says to a file in the folder. @param args how it resolves modules, and which globals it knows */
async function compile(text: string, ...args: string[]): Promise<string> {
  await writeFile(join(folder, 'use.ts'), text);
  const tsc = join(root, 'node_modules/.bin/tsc');
  const { stdout } = await run(tsc, ['--ignoreConfig', '--strict', '--target', 'es2023', ...args, 'use.ts'], {
    cwd: folder,
  }).catch((error: { stdout: string }) => error);
  return stdout;
}

const useOf = (route: string) => `import { createClient } from 'longshore/client';
const client = createClient({ url: 'http://api.test', token: 'key', fetch: async () => Response.json({ projects: [{ slug: 'shop' }] }) });
const { projects } = await client.call('${route}');
const all: string = projects.map(({ slug }) => slug).join();
console.log(all);\n`;

test.each([
  { resolution: 'nodenext', module: 'nodenext', globals: ['--lib', 'es2023', '--types', 'node'] },
  { resolution: 'bundler', module: 'preserve', globals: ['--lib', 'es2023,dom,dom.iterable', '--types', ''] },
])(
  'a strict TypeScript program compiles against the package with $resolution, and runs',
  { tags: ['slow'] },
  async ({ resolution, module, globals }) => {
    const how = ['--module', module, '--moduleResolution', resolution, ...globals];
    const typeRoots = ['--typeRoots', join(root, 'node_modules/@types')];
    expect(await compile(useOf('GET /api/projects'), ...how, ...typeRoots)).toBe('');
    expect((await run(node, ['use.js'], { cwd: folder, env })).stdout).toBe('shop\n');
    expect(await compile(useOf('GET /api/nonsense'), ...how, ...typeRoots)).toContain('use.ts(3,');
  },
);

test('help costs at most four times the processor time of an empty program', async () => {
  const meter = join(folder, 'meter.cjs');
  await writeFile(
    meter,
    `process.on('exit', () => {
      const { user, system } = process.cpuUsage();
      require('node:fs').writeSync(2, String((user + system) / 1000));
    });`,
  );
  const empty = join(folder, 'empty.mjs');
  await writeFile(empty, '');
  const costOf = async (...args: string[]) =>
    Number((await run(node, ['--require', meter, ...args], { env })).stderr);
  const costs = { help: [] as number[], empty: [] as number[] };
  // Not the time that passes: other tests use the processors as well. For the same reason the least of several, and a ratio.
  for (let round = 0; round < 5; round++) {
    costs.help.push(await costOf(program(), '--help'));
    costs.empty.push(await costOf(empty));
  }
  expect(Math.min(...costs.help), JSON.stringify(costs)).toBeLessThan(4 * Math.min(...costs.empty));
});
