/** The bundled program as a process, against servers that answer as networks and proxies do. */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { bundle } from '../../cli/bundle.ts';
import { freePorts } from '../support/free-ports.ts';

let directory: string;
let program: string;
/** An address where nothing listens. */
let away: string;
beforeAll(async () => {
  away = `http://127.0.0.1:${(await freePorts(1))[0]}`;
  directory = await mkdtemp(join(tmpdir(), 'longshore-cli-'));
  program = await bundle(join(directory, 'longshore.mjs'));
});
afterAll(() => rm(directory, { recursive: true }));

/** Runs the program without a terminal. */
function cli(args: string[], url = away) {
  const env = { PATH: process.env.PATH, HOME: directory, LONGSHORE_URL: url, LONGSHORE_KEY: 'key' };
  const child = spawn(process.execPath, [program, ...args], {
    env,
    cwd: directory,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = { code: null as number | null, out: '', err: '' };
  child.stdout.on('data', (text) => {
    ended.out += text;
  });
  child.stderr.on('data', (text) => {
    ended.err += text;
  });
  return new Promise<typeof ended>((resolve) => child.on('close', (code) => resolve({ ...ended, code })));
}

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each([
  [['nonsense'], 2],
  [['deploy', '--nonsense'], 2],
  [['deploy', '--timeout', 'soon'], 2],
  [['api', 'GET', '//other.example/'], 2],
  [['api', 'LIST', '/api/projects'], 2],
  [['run'], 2],
  [['--help'], 0],
  [['up', '--help'], 0],
])('%j ends with %i', async (args, code) => {
  const ended = await cli(args);
  expect([ended.code, ended.err.includes('    at ')], ended.err).toEqual([code, false]);
});

test.each([
  [['nonsense', '--json'], 'nonsense'],
  [['db', 'create', '--json'], 'The argument <name> is missing.'],
  [['db', 'create', 'db', '--engine', 'oracle', '--json'], '--engine can\'t be "oracle". It is one of: '],
  [['deploy', '--nonsense', '--json'], 'There is no flag --nonsense.'],
  [['deploy', '--timeout', 'soon', '--json'], 'The value of timeout is wrong: "soon"'],
  // What a shell makes of *.example.com in a folder with two such files.
  [
    ['domains', 'add', 'a.example.com', 'b.example.com', '--json'],
    "quotes around an argument with a * or spaces: '*.example.com'",
  ],
])('wrong usage is one JSON object on stderr with --json: %j', async (args, named) => {
  const { code, out, err } = await cli(args);
  expect([code, out, JSON.parse(err)]).toEqual([
    2,
    '',
    { error: expect.stringContaining(named), code: 'usage', exitCode: 2 },
  ]);
});

test('a control plane that is away is one sentence, and one object with --json', async () => {
  const people = await cli(['ps']);
  expect([people.code, people.out]).toEqual([1, '']);
  expect(people.err).toBe(
    `No answer from ${away}: the connection was refused. Is the control plane running, and is the port right?\nIf this is your own instance, start it: longshore start\n`,
  );
  expect(JSON.parse((await cli(['ps', '--json'])).err)).toMatchObject({ code: 'network', exitCode: 1 });
});

test("a refusal keeps the API's sentence, code and request", async () => {
  const url = await serve((_, reply) => {
    reply.writeHead(403).end(JSON.stringify({ error: 'May not.', code: 'forbidden', requestId: 'r1' }));
  });
  expect((await cli(['ps'], url)).err).toBe(
    'May not. (forbidden, request r1)\nSee what the key may do: longshore doctor\n',
  );
  expect(JSON.parse((await cli(['ps', '--json'], url)).err)).toMatchObject({
    code: 'forbidden',
    requestId: 'r1',
  });
});

test('names and sentences of others cannot steer the terminal', async () => {
  const attack = '\u001b]0;own\u0007\u001b[2J\u009b1A\r';
  const url = await serve((request, reply) => {
    const service = {
      name: `shop${attack}`,
      kind: 'web',
      repoFullName: `me/shop${attack}`,
      status: `up${attack}`,
    };
    const project = { slug: `shop${attack}`, services: [{ ...service, domains: [], lastDeployedAt: null }] };
    if (request.url === '/api/projects') return reply.end(JSON.stringify({ projects: [project] }));
    reply.writeHead(403).end(JSON.stringify({ error: `No${attack}.`, code: 'forbidden', requestId: 'r' }));
  });
  for (const args of [['ps'], ['env', '--service', 'other'], ['releases']]) {
    const { out, err } = await cli(args, url);
    expect(`${out}${err}`).toMatch(/shop|No/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(`${out}${err}`).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
  }
});

test('a service that sleeps is listed as asleep, one that does not by its status', async () => {
  const sleep = { asleepSince: null, lastWokeAt: null, lastWakeMs: null };
  const service = {
    kind: 'web',
    imageRef: 'app',
    status: 'active',
    lastDeployedAt: null,
    primaryUrl: 'https://shop.example',
  };
  const services = [
    { ...service, slug: 'idle', sleep: { ...sleep, asleep: true } },
    { ...service, slug: 'busy', sleep: { ...sleep, asleep: false } },
    { ...service, slug: 'plain', sleep: null },
  ];
  const url = await serve((_, reply) => {
    reply.end(
      JSON.stringify({ projects: [{ id: 'prj_1', slug: 'shop', name: 'shop', serviceCount: 3, services }] }),
    );
  });
  const said = await cli(['ps'], url);
  expect(said.err).toBe('');
  const lines = said.out.split('\n').map((line) => line.split(/\s+/).slice(0, 2));
  expect(lines.slice(1, 4)).toEqual([
    ['shop/idle', 'asleep'],
    ['shop/busy', 'active'],
    ['shop/plain', 'active'],
  ]);
});

test('an error cannot steer the terminal, and a redirect takes neither key nor values to another server', async () => {
  const hostile = await serve((_, reply) => {
    reply
      .writeHead(403)
      .end(JSON.stringify({ error: 'May\u001b]0;title\u0007 \u009b2Jnot.', code: 'forbidden' }));
  });
  expect((await cli(['ps'], hostile)).err).toMatch(/^May not\. \(forbidden\)\n/);
  let seen = 0;
  const elsewhere = await serve((_, reply) => {
    seen += 1;
    reply.end('{}');
  });
  const away = await serve((_, reply) => void reply.writeHead(307, { location: elsewhere }).end());
  for (const args of [['ps'], ['api', 'POST', '/api/projects', '{"name":"secret"}']])
    expect(await cli(args, away)).toMatchObject({ code: 1, err: expect.stringContaining('307') });
  expect(seen).toBe(0);
});

test('variables that are pulled over an existing file are readable by its owner alone', async () => {
  const service = { id: 'svc_1', slug: 'web', name: 'web' };
  const project = { id: 'prj_1', slug: 'shop', name: 'shop', serviceCount: 1, services: [service] };
  const env = [{ id: 'env_1', key: 'TOKEN', value: 'secret', hasValue: true, secret: true }];
  const url = await serve((request, reply) => {
    reply.end(JSON.stringify(request.url?.endsWith('/env') ? { env } : { projects: [project] }));
  });
  const file = join(directory, 'pulled.env');
  await writeFile(file, 'OLD=1\n', { mode: 0o644 });
  expect(await cli(['env', 'pull', '-s', 'web', '-y', 'pulled.env'], url)).toMatchObject({ code: 0 });
  expect([await readFile(file, 'utf8'), (await stat(file)).mode & 0o777]).toEqual(['TOKEN=secret\n', 0o600]);
});

test('a log that breaks off goes on after its last line, and no line is shown twice', async () => {
  const asked: unknown[] = [];
  const deployment = { id: 'dep_1', serviceId: 'svc_1', status: 'running' };
  const service = { id: 'svc_1', slug: 'web', name: 'web', primaryUrl: 'http://web.example' };
  const project = { id: 'prj_1', slug: 'shop', name: 'shop', serviceCount: 1, services: [service] };
  const entry = (id: number) =>
    `id: ${id}\nevent: log\ndata: ${JSON.stringify({ id, line: `line ${id}`, stream: 'stdout' })}\n\n`;
  const url = await serve((request, reply) => {
    if (!request.url?.endsWith('/stream'))
      return void reply.end(JSON.stringify({ projects: [project], deployment, service }));
    asked.push(request.headers['last-event-id']);
    if (asked.length === 1) return void reply.write(entry(1) + entry(2), () => reply.destroy());
    reply.end(`${entry(3)}event: status\ndata: {"ok":true,"closed":true}\n\n`);
  });
  const { code, out, err } = await cli(['deploy', 'web', '--wait'], url);
  expect([code, out], err).toEqual([0, 'http://web.example\n']);
  expect(err.match(/line \d/g)).toEqual(['line 1', 'line 2', 'line 3']);
  expect(asked).toEqual(['0', '2']);
});

test('completion proposes services and projects, and nothing where nobody answers', async () => {
  const services = [{ id: 'svc_1', slug: 'web', name: 'web' }];
  const url = await serve((_, reply) => {
    const projects = [{ id: 'prj_1', slug: 'shop', name: 'Shop', services, serviceCount: 1 }];
    reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ projects }));
  });
  const proposed = async (words: string[], at?: string) =>
    (await cli(['__complete', ...words], at)).out
      .split('\n')
      .filter((word) => word && !word.startsWith('--'));
  expect(await proposed(['logs', ''], url)).toEqual(['shop/web']);
  expect(await proposed(['restart', 'sh'], url)).toEqual(['shop/web']);
  expect(await proposed(['env', 'list', '-s', 'w'], url)).toEqual(['web']);
  expect(await proposed(['ps', '-p', 's'], url)).toEqual(['shop']);
  expect(await proposed(['logs', ''])).toEqual([]);
  const silent = await serve(() => {});
  expect(await proposed(['logs', ''], silent)).toEqual([]);
});

test('completion proposes schedules and backups of the named service, and contexts', async () => {
  const services = [
    { id: 'svc_1', slug: 'web', name: 'web' },
    { id: 'svc_2', slug: 'db', name: 'db' },
  ];
  const projects = [{ id: 'prj_1', slug: 'shop', name: 'Shop', services, serviceCount: 2 }];
  const schedules = [{ name: 'nightly' }, { name: 'hourly' }];
  const backups = [
    { id: 'bkp_2', status: 'failed' },
    { id: 'bkp_1', status: 'succeeded' },
  ];
  const replies: Record<string, object> = {
    '/api/projects': { projects },
    '/api/services/svc_1/schedules': { schedules },
    '/api/services/svc_2/database/backups': { backups },
  };
  const url = await serve(({ url = '' }, reply) => {
    const body = JSON.stringify(replies[url.split('?')[0] ?? ''] ?? { error: 'none', code: 'not_found' });
    reply.writeHead(200, { 'content-type': 'application/json' }).end(body);
  });
  const proposed = async (...words: string[]) =>
    (await cli(['__complete', ...words], url)).out
      .split('\n')
      .filter((word) => word && !word.startsWith('-'));
  expect(await proposed('cron', 'run', '-s', 'web', 'n')).toEqual(['nightly']);
  expect(await proposed('cron', 'run', '--service=shop/web', '')).toEqual(['nightly', 'hourly']);
  expect(await proposed('cron', 'run', '')).toEqual([]);
  expect(await proposed('db', 'restore', '-p', 'shop', '-s', 'db', '')).toEqual(['latest', 'bkp_1']);
  await mkdir(join(directory, '.config/longshore'), { recursive: true });
  const contexts = { home: { url, key: 'key' }, work: { url, key: 'key' } };
  const file = join(directory, '.config/longshore/contexts.json');
  await writeFile(file, JSON.stringify({ current: 'home', contexts }), { mode: 0o600 });
  onTestFinished(() => rm(file));
  expect(await proposed('context', 'use', '')).toEqual(['home', 'work']);
});

test('completion proposes settings, variables, deployments, domains and API paths', async () => {
  const services = [{ id: 'svc_1', slug: 'web', name: 'web' }];
  const projects = [{ id: 'prj_1', slug: 'shop', name: 'Shop', services, serviceCount: 1 }];
  const replies: Record<string, object> = {
    '/api/projects': { projects },
    '/api/services/svc_1/env': { env: [{ key: 'PORT' }, { key: 'PGHOST' }] },
    '/api/services/svc_1/deployments': { deployments: [{ id: 'dep_2' }, { id: 'dep_1' }] },
    '/api/services/svc_1/overview': { domains: [{ hostname: 'example.com' }] },
    '/openapi.json': {
      paths: {
        '/api/services/{serviceId}/env': { get: {}, post: {} },
        '/api/services/{serviceId}/stop': { post: {} },
      },
    },
  };
  const url = await serve(({ url = '' }, reply) => {
    const body = JSON.stringify(replies[url.split('?')[0] ?? ''] ?? { error: 'none', code: 'not_found' });
    reply.writeHead(200, { 'content-type': 'application/json' }).end(body);
  });
  const proposed = async (...words: string[]) =>
    (await cli(['__complete', ...words], url)).out
      .split('\n')
      .filter((word) => word && !word.startsWith('-'));
  expect(await proposed('settings', 'set', 'buildM')).toEqual(['buildMethod=']);
  expect(await proposed('settings', 'set', 'buildMethod=d')).toEqual(['buildMethod=dockerfile']);
  expect(await proposed('env', 'unset', '-s', 'web', 'P')).toEqual(['PORT', 'PGHOST']);
  expect(await proposed('env', 'set', '-s', 'web', 'PG')).toEqual(['PGHOST=']);
  expect(await proposed('rollback', '-s', 'web', '--to', '')).toEqual(['dep_2', 'dep_1']);
  for (const command of ['logs', 'explain', 'abort'])
    expect(await proposed(command, '-s', 'web', '--deployment', 'dep_1')).toEqual(['dep_1']);
  expect(await proposed('domains', 'remove', '-s', 'web', '')).toEqual(['example.com']);
  expect(await proposed('api', 'P')).toEqual(['POST', 'PUT', 'PATCH']);
  expect(await proposed('api', 'GET', '/api/s')).toEqual(['/api/services/:serviceId/env']);
  expect(await proposed('api', 'post', '/api/services/svc_1/')).toEqual([
    '/api/services/svc_1/env',
    '/api/services/svc_1/stop',
  ]);
});

test('a usage line shows all arguments, the flags that must be given, and that there are more', async () => {
  const usage = async (...words: string[]) => (await cli([...words, '--help'])).out.split('\n')[1]?.trim();
  expect(await usage('env', 'push')).toBe('longshore env push [flags] [file]');
  expect(await usage('env', 'unset')).toBe('longshore env unset [flags] <name>...');
  expect(await usage('api')).toBe('longshore api [flags] <method> <path> [body]');
  expect(await usage('logs')).toBe('longshore logs [flags] [service]...');
  expect((await cli(['env', '--help'])).out).toContain('longshore env push [flags] [file]');
});

test('completion proposes commands and flags', async () => {
  const proposed = (await cli(['__complete', 're'])).out.split('\n');
  expect(proposed).toEqual(expect.arrayContaining(['releases', 'rename', 'restart']));
  expect((await cli(['__complete', 'deploy', '--w'])).out).toContain('--wait');
  expect((await cli(['completion', 'bash'])).out).toContain('complete -o default -F _longshore longshore');
});
