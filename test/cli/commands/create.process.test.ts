// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of variables are written like that
/** What exists before a deployment: `project create`, `service create`, `db create` and `up`, the bundled program against a server that plays the control plane. */
import { execFileSync, spawn } from 'node:child_process';
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { bundle } from '../../../cli/bundle.ts';

let folder: string;
let program: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longshore-cli-'));
  program = await bundle(join(folder, 'longshore.mjs'));
});
afterAll(() => rm(folder, { recursive: true }));

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(folder, 'home-'));
});

function cli(url: string, ...args: string[]) {
  const env = { PATH: process.env.PATH, HOME: home, LONGSHORE_URL: url, LONGSHORE_KEY: 'key' };
  const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
  const child = spawn(process.execPath, [program, ...args], { env, cwd: home, stdio });
  const ended = { code: null as number | null, out: '', err: '' };
  child.stdout.on('data', (text) => {
    ended.out += text;
  });
  child.stderr.on('data', (text) => {
    ended.err += text;
  });
  return new Promise<typeof ended>((resolve) => child.on('close', (code) => resolve({ ...ended, code })));
}

type Body = Record<string, unknown>;

const planAnswer = {
  problem: null,
  plan: {
    ...{ name: 'shop', repoUrl: null, imageRef: null, branch: 'main', branches: ['main'], rootDir: null },
    ...{ commitSha: 'a'.repeat(40), commitMessage: 'change', imageDigest: null, builtBy: 'analyzer' },
    ...{ dockerfilePath: null, language: 'node', framework: 'nextjs', installCommand: 'npm ci' },
    ...{ buildCommand: null, startCommand: 'npm start', releaseCommand: null, staticOutput: null },
    ...{
      kind: 'web',
      kindReason: null,
      port: 3000,
      portReason: 'server.js listens on port 3000.',
      notes: [],
    },
    variables: [{ key: 'LOG_LEVEL', label: '', places: ['.env.example'], example: 'info', of: 'example' }],
    databases: [
      {
        ...{ engine: 'postgres', title: 'PostgreSQL', why: 'pg in package.json', key: 'DATABASE_URL' },
        existing: [],
        create: { name: 'db', repoFullName: 'database:postgres', value: '${db.DATABASE_URL}' },
      },
    ],
    ...{
      volumes: [],
      user: null,
      folders: [{ path: 'apps/api', what: 'node' }],
      warnings: [],
      obstacle: null,
    },
  },
};
interface Asked {
  route: string;
  body: Body | undefined;
}

/** @param refused the route that answers 400, of those that change something @returns its address, and the requests that would change something */
async function controlPlane({
  services = [],
  refused = '',
  deployments = [],
  pending = {},
}: {
  services?: Body[];
  refused?: string;
  deployments?: Body[];
  pending?: Body;
} = {}) {
  const asked: Asked[] = [];
  const project = { id: 'prj_shop', slug: 'shop', name: 'shop', serviceCount: services.length, services };
  const created: Body[] = [];
  const answers: Record<string, (body: Body) => object> = {
    'GET /api/projects': () => ({ projects: [project] }),
    'GET /api/hosts': () => ({ hosts: [] }),
    'POST /api/projects/:id/source-plans': () => planAnswer,
    'POST /api/projects': ({ name }) => ({ project: { ...project, id: `prj_${name}`, slug: name, name } }),
    'POST /api/projects/:id/services': (body) => {
      created.push(service(String(body.name), body));
      return { service: created.at(-1) };
    },
    'GET /api/services/:id/overview': () => ({
      ...{
        derivedVariables: [{ key: 'DATABASE_URL' }],
        pendingVariables: [],
        pendingBuildVariables: [],
        pendingFiles: [],
        pendingSettings: [],
      },
      ...pending,
    }),
    'GET /api/services/:id/deployments': () => ({ deployments }),
    'GET /api/services/:id/env': () => ({ env: [] }),
    'POST /api/services/:id/env/bulk': ({ env }) => ({
      ...{ ok: true, env: (env as Body[]).map((one) => ({ scope: 'both', ...one })) },
    }),
    'GET /api/services/:id': () => ({ service: created[0] ?? services[0] }),
    'POST /api/services/:id/uploads': () => ({ upload: { id: 'upl_1', missing: [] } }),
    'PATCH /api/services/:id': () => ({ service: services.at(-1) }),
    'POST /api/services/:id/deployments': () => ({
      deployment: { id: 'dep_1', serviceId: 'svc_1', status: 'queued' },
    }),
    'GET /api/deployments/:id': () => ({
      deployment: { id: 'dep_1', serviceId: 'svc_1', status: 'running' },
    }),
  };
  const answer = async (request: IncomingMessage, reply: ServerResponse) => {
    const path = request.url?.split('?')[0] ?? '';
    const sent = await text(request);
    const body = sent === '' ? undefined : JSON.parse(sent);
    const route = `${request.method} ${path.replace(/\/(prj|svc|dep)_\w+/, '/:id')}`;
    if (request.method !== 'GET') asked.push({ route: `${request.method} ${request.url}`, body });
    if (route === 'GET /api/deployments/:id/stream')
      return reply.setHeader('content-type', 'text/event-stream').end('event: status\ndata: {}\n\n');
    if (route === refused)
      return reply.writeHead(400).end(JSON.stringify({ error: 'Refused.', code: 'invalid_request' }));
    return reply.end(JSON.stringify(answers[route]?.(body) ?? { ok: true, proxy: { ok: true, detail: '' } }));
  };
  const server = createServer((request, reply) => void answer(request, reply).catch(() => reply.destroy()));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, asked, routes: () => asked.map(({ route }) => route) };
}

const service = (slug: string, fields: Body = {}): Body => ({
  ...{ id: `svc_${slug}`, slug, name: slug, runnerId: 'run_1', repoUrl: 'upload', imageRef: null },
  ...{ status: 'idle', lastDeployedAt: null, primaryUrl: '', localUrl: '', ...fields },
});

test('a project is created once', async () => {
  const { url, routes } = await controlPlane();
  const made = await cli(url, 'project', 'create', 'new');
  expect([made.code, made.out], made.err).toEqual([0, 'new\n']);
  const again = await cli(url, 'project', 'create', 'shop');
  expect([again.code, again.err]).toEqual([2, 'There is a project shop already.\n']);
  expect(routes()).toEqual(['POST /api/projects']);
});

test('a service is created with its settings and variables in one request, with its project if that is missing, and not deployed', async () => {
  await writeFile(join(home, '.env'), 'A=1\nB=two\n');
  const { url, asked } = await controlPlane();
  const flags = ['--env-file', '.env', '--root', './apps/web/', '--worker', '--set', 'memoryLimitMb=512'];
  const made = await cli(url, 'service', 'create', 'new/jobs', ...flags, '--set', 'watch-paths=apps/');
  expect([made.code, made.out], made.err).toEqual([0, 'new/jobs\n']);
  expect(made.err).toContain('longshore up -s new/jobs');
  const variables = [
    { key: 'A', value: '1' },
    { key: 'B', value: 'two' },
  ];
  const settings = { rootDir: 'apps/web', runtimeMode: 'worker', memoryLimitMb: 512, watchPaths: ['apps/'] };
  expect(asked).toEqual([
    { route: 'POST /api/projects', body: { name: 'new' } },
    {
      route: 'POST /api/projects/prj_new/services',
      body: { repoUrl: 'upload', ...settings, env: variables, name: 'jobs' },
    },
  ]);
});

test.each([
  [['--repo', 'https://git.example/shop'], { repoUrl: 'https://git.example/shop', branch: 'main' }],
  [
    ['--image', 'nginx:1.29', '--port', '80'],
    { repoUrl: 'container-image', imageRef: 'nginx:1.29', internalPort: 80 },
  ],
  [['--static'], { repoUrl: 'upload', runtimeMode: 'static' }],
])('service create %j sends %j', async (flags, body) => {
  const { url, asked } = await controlPlane();
  const { code, err } = await cli(url, 'service', 'create', 'web', '-p', 'shop', ...flags);
  expect(code, err).toBe(0);
  expect(asked).toEqual([
    { route: 'POST /api/projects/prj_shop/services', body: { ...body, env: [], name: 'web' } },
  ]);
});

test.each([
  [['up', '-y', '-p', 'new', '--port', '99999'], 'not a port from 1 to 65,535'],
  [['up', '-y', '-p', 'new', '--set', 'memoryLimitMb=much'], 'is not a number'],
  [['up', '-y', '-p', 'new', '--env-file', 'server.js'], "server.js can't be read"],
  [['up', '-y', '-p', 'new', '--worker', '--static'], 'only one of --worker and --static'],
  [['service', 'create', 'new/web', '--repo', 'a', '--image', 'b'], 'only one of --image and --repo'],
  [['service', 'create', 'new/web', '--branch', 'a'], '--branch works only with --repo'],
  [['service', 'create', 'new/web', '--port', '1', '--set', 'internalPort=2'], 'given twice'],
  [['service', 'create', 'shop/web'], 'There is a service shop/web already'],
  [['db', 'create', 'db', '-p', 'new'], 'Name the engine'],
])('%j is refused before anything is made', async (args, sentence) => {
  await writeFile(join(home, 'server.js'), 'no variable');
  const { url, asked } = await controlPlane({ services: [service('web')] });
  const { code, err } = await cli(url, ...args);
  expect([code, asked]).toEqual([2, []]);
  expect(err).toContain(sentence);
});

const creations = {
  up: ['up', '-y', '-s', 'new/web', '--db', 'postgres'],
  service: ['service', 'create', 'new/web'],
  db: ['db', 'create', 'db', '-p', 'new', '-e', 'postgres'],
};
const creating = 'POST /api/projects/:id/services';
const deploying = 'POST /api/services/:id/deployments';

test.each([
  [creations.up, creating],
  [creations.up, 'POST /api/services/:id/uploads'],
  [[...creations.up, '--image', 'nginx'], deploying],
  [creations.service, creating],
  [creations.db, creating],
  [creations.db, deploying],
])('%j leaves nothing behind if %s is refused', async (args, refused) => {
  await writeFile(join(home, 'server.js'), '');
  const { url, routes } = await controlPlane({ refused });
  const { code, err } = await cli(url, ...args);
  expect([code, err]).toEqual([2, expect.stringContaining('Refused.')]);
  expect(routes().filter((route) => route.startsWith('DELETE'))).toEqual([
    'DELETE /api/projects/prj_new?purgeIfUnused=true',
  ]);
  expect(err).toContain('Removed the project new again.');
  await expect(access(join(home, '.longshore.json'))).rejects.toThrow('ENOENT');
});

test('what was there before stays if a later step is refused: the project, its services and the link', async () => {
  const link = '{"project":"other"}\n';
  await writeFile(join(home, '.longshore.json'), link);
  const { url, routes } = await controlPlane({ services: [service('db')], refused: deploying });
  const { code } = await cli(url, 'up', '-y', '-s', 'shop/web', '--image', 'nginx');
  expect(code).toBe(2);
  expect(routes().filter((route) => route.startsWith('DELETE'))).toEqual([
    'DELETE /api/services/svc_web?purgeIfUnused=true',
  ]);
  expect(await readFile(join(home, '.longshore.json'), 'utf8')).toBe(link);
});

test('up --db creates a database, starts it first, and gives its address to the service', async () => {
  const { url, asked, routes } = await controlPlane();
  const { code, err } = await cli(
    url,
    'up',
    '-y',
    '-d',
    '-s',
    'shop/web',
    '--db',
    'postgres',
    '--image',
    'nginx',
  );
  expect(code, err).toBe(0);
  expect(err).toContain('+ database db (postgres)');
  expect(routes()).toEqual([
    'POST /api/projects/prj_shop/services',
    'POST /api/projects/prj_shop/services',
    'POST /api/services/svc_db/deployments',
    'POST /api/services/svc_web/deployments',
  ]);
  expect(asked[0]?.body).toMatchObject({
    name: 'db',
    repoUrl: 'database',
    repoFullName: 'database:postgres',
  });
  expect(asked[1]?.body).toMatchObject({
    name: 'web',
    env: [{ key: 'DATABASE_URL', value: '${db.DATABASE_URL}' }],
  });
});

test('up --db uses the database that the project has, and flags change a service that exists before it is deployed', async () => {
  await writeFile(join(home, 'prod.env'), 'A=1\n');
  const live = { lastDeployedAt: '2026-01-01T00:00:00.000Z' };
  const services = [
    service('data', { ...live, repoUrl: 'database', repoFullName: 'database:postgres' }),
    service('web', { ...live, repoUrl: 'container-image', imageRef: 'nginx' }),
  ];
  const { url, asked } = await controlPlane({ services });
  const flags = ['--db', 'postgres', '--env-file', 'prod.env', '--port', '81'];
  const { code, err } = await cli(url, 'up', '-d', '-s', 'shop/web', '--image', 'nginx', ...flags);
  expect(code, err).toBe(0);
  expect(asked).toEqual([
    {
      route: 'POST /api/services/svc_web/env/bulk',
      body: {
        env: [
          { key: 'A', value: '1' },
          { key: 'DATABASE_URL', value: '${data.DATABASE_URL}' },
        ],
      },
    },
    { route: 'PATCH /api/services/svc_web', body: { internalPort: 81 } },
    { route: 'POST /api/services/svc_web/deployments', body: undefined },
  ]);
});

test.each([
  ['upload', null, 'longshore up -s shop/web'],
  ['https://git.example/shop', null, 'longshore deploy shop/web'],
  ['upload', '2026-01-01T00:00:00.000Z', 'longshore restart shop/web'],
])(
  'what a change of a service of %s that was live at %s needs is "%s"',
  async (repoUrl, lastDeployedAt, command) => {
    const { url } = await controlPlane({ services: [service('web', { repoUrl, lastDeployedAt })] });
    const changes = [
      ['env', 'set', 'A=1', '-s', 'shop/web'],
      ['settings', 'set', 'memoryLimitMb=64', '-s', 'shop/web'],
    ];
    for (const args of changes) expect((await cli(url, ...args)).err).toContain(command);
  },
);

const repository = { repoUrl: 'https://git.example/me/shop', branch: 'main' };

test.each([
  [repository, ['--image', 'nginx'], [], { repoUrl: 'container-image', imageRef: 'nginx' }],
  [repository, ['--upload'], ['POST /api/services/svc_web/uploads'], { repoUrl: 'upload' }],
  [{}, ['--repo', 'https://git.example/a'], [], { repoUrl: 'https://git.example/a', branch: 'main' }],
  [
    { repoUrl: 'container-image', imageRef: 'nginx' },
    ['--upload'],
    ['POST /api/services/svc_web/uploads'],
    { repoUrl: 'upload' },
  ],
])('up replaces the source %j with %j, after it has asked', async (before, flags, first, patch) => {
  await writeFile(join(home, 'server.js'), '');
  const { url, asked, routes } = await controlPlane({ services: [service('web', before)] });
  const unasked = await cli(url, 'up', '-s', 'shop/web', ...flags);
  expect([unasked.code, asked]).toEqual([2, []]);
  expect(unasked.err).toMatch(/~ source: .+ becomes .+\n> deploy/);
  const { code, err } = await cli(url, 'up', '-y', '-d', '-s', 'shop/web', ...flags);
  expect(code, err).toBe(0);
  expect(routes()).toEqual([
    ...first,
    'PATCH /api/services/svc_web',
    'POST /api/services/svc_web/deployments',
  ]);
  expect(asked.at(-2)?.body).toEqual(patch);
});

test('another source than that of the folder needs a flag, and a database gets none', async () => {
  execFileSync('git', ['init', '-q', '-b', 'main', home]);
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', home, '-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args]);
  git('commit', '-q', '--allow-empty', '-m', 'first');
  git('remote', 'add', 'origin', 'https://git.example/me/other');
  git('update-ref', 'refs/remotes/origin/main', 'HEAD');
  const services = [service('web', repository), service('db', { repoUrl: 'database' })];
  const { url, asked } = await controlPlane({ services });
  const other = await cli(url, 'up', '-y', '-s', 'shop/web');
  expect([other.code, other.err]).toEqual([
    2,
    expect.stringContaining(
      'change its source: longshore up --repo https://git.example/me/other --branch main',
    ),
  ]);
  const database = await cli(url, 'up', '-y', '-s', 'shop/db', '--image', 'nginx');
  expect([database.code, database.err]).toEqual([2, expect.stringContaining('db is a database')]);
  expect(asked).toEqual([]);
});

const active = { status: 'active', primaryUrl: 'https://shop.example' };
const creatingDeployment = 'POST /api/services/svc_web/deployments';

/** The digest of the folder in `home`, and the live version that was built from it. */
async function liveFolder() {
  await writeFile(join(home, 'server.js'), 'one');
  const { url, asked } = await controlPlane({ services: [service('web')] });
  await cli(url, 'up', '-d', '-s', 'shop/web');
  const upload = asked.find(({ route }) => route === 'POST /api/services/svc_web/uploads');
  return { id: 'dep_9', status: 'running', sourceDigest: upload?.body?.checksum, commitSha: null };
}

test('up of a folder that is live deploys nothing and says so, except with --force', async () => {
  const live = await liveFolder();
  const { url, routes } = await controlPlane({ services: [service('web', active)], deployments: [live] });
  const same = await cli(url, 'up', '-s', 'shop/web');
  expect([same.code, same.out, routes()], same.err).toEqual([0, 'https://shop.example\n', []]);
  expect(same.err).toContain('Nothing has changed since dep_9');
  const { code, err } = await cli(url, 'up', '-d', '--force', '-s', 'shop/web');
  expect(code, err).toBe(0);
  expect(routes()).toEqual(['POST /api/services/svc_web/uploads', creatingDeployment]);
});

test.each([
  ['a file', {}, {}, {}, 'two'],
  ['a saved variable', {}, {}, { pendingVariables: ['A'] }, 'one'],
  ['a saved variable of builds', {}, {}, { pendingBuildVariables: ['A'] }, 'one'],
  ['a saved setting', {}, {}, { pendingSettings: [{}] }, 'one'],
  ['a failed attempt', { status: 'failed' }, {}, {}, 'one'],
  ['a crash', {}, { status: 'crashed' }, {}, 'one'],
])('up deploys a folder that is live after a change of %s', async (_, newest, state, pending, content) => {
  const live = await liveFolder();
  await writeFile(join(home, 'server.js'), content);
  const services = [service('web', { ...active, ...state })];
  const { url, routes } = await controlPlane({ services, pending, deployments: [{ ...live, ...newest }] });
  const { code, err } = await cli(url, 'up', '-d', '-s', 'shop/web');
  expect(code, err).toBe(0);
  expect(routes()).toContain(creatingDeployment);
});

test('a folder carries the commit of its work tree, its message or that of --message, and whether it was changed since', async () => {
  execFileSync('git', ['init', '-q', '-b', 'main', home]);
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', home, '-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], {
      encoding: 'utf8',
    }).trim();
  await writeFile(join(home, 'server.js'), 'one');
  git('add', '.');
  git('commit', '-q', '-m', 'Fix the cart');
  const commitSha = git('rev-parse', 'HEAD');
  const sent = async (...flags: string[]) => {
    const { url, asked } = await controlPlane({ services: [service('web')] });
    const { code, err } = await cli(url, 'up', '-d', '-s', 'shop/web', ...flags);
    expect(code, err).toBe(0);
    return asked.at(-1)?.body;
  };
  const uploadId = 'upl_1';
  expect(await sent()).toEqual({ uploadId, commitSha, commitMessage: 'Fix the cart' });
  expect(await sent('--message', 'By hand')).toEqual({ uploadId, commitSha, commitMessage: 'By hand' });
  await writeFile(join(home, 'server.js'), 'two');
  expect(await sent()).toMatchObject({ commitMessage: 'Fix the cart (with uncommitted changes)' });
});

test('deploy --ref names the ref, and --message is refused for a repository', async () => {
  const { url, asked } = await controlPlane({ services: [service('web', repository)] });
  const { code, err } = await cli(url, 'deploy', 'shop/web', '--ref', 'v1.4.0');
  expect(code, err).toBe(0);
  expect(asked).toEqual([{ route: creatingDeployment, body: { ref: 'v1.4.0' } }]);
  const refused = await cli(url, 'up', '-s', 'shop/web', '--repo', repository.repoUrl, '--message', 'a');
  expect([refused.code, refused.err, asked.length]).toEqual([
    2,
    expect.stringContaining('--message is for'),
    1,
  ]);
});

test('plan says what a folder or an address would become, and sends no secret file', async () => {
  const { url, asked } = await controlPlane();
  await writeFile(join(home, 'server.js'), 'process.env.KEY');
  await writeFile(join(home, '.env'), 'KEY=canary');
  const ofFolder = await cli(url, 'plan');
  expect([ofFolder.code, ofFolder.err]).toEqual([0, '']);
  for (const words of [
    'Build      nextjs, node',
    'Port       3000: server.js listens on port 3000.',
    'PostgreSQL, because of pg in package.json: DATABASE_URL=${db.DATABASE_URL} (longshore db create db --engine postgres)',
    'LOG_LEVEL=info  .env.example',
    'apps/api (node)',
  ])
    expect(ofFolder.out).toContain(words);
  await cli(url, 'plan', 'github.com/acme/shop', '--root', 'apps/api');
  expect(asked.map(({ body }) => body)).toEqual([
    { files: { paths: ['server.js'], texts: [{ path: 'server.js', text: 'process.env.KEY' }] } },
    { source: 'github.com/acme/shop', rootDir: 'apps/api' },
  ]);
});
