// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of variables are written like that
/** Database services: their rows, the variables they are made with and those that are derived for others, what suggests them. */
import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { insertProject, insertRunner, type Json, operatorToken } from '../../../support/worker/api.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { newHost } from '../../../support/worker/host.ts';
import { serviceBench, timestamp } from '../../../support/worker/services.ts';

const bench = await serviceBench();

const database = (engine: string, more: object = {}) => ({
  name: `${engine}-db`,
  repoFullName: `database:${engine}`,
  repoUrl: 'database',
  branch: 'main',
  env: [],
  ...more,
});
const valuesOf = async (id: string): Promise<Record<string, string>> =>
  Object.fromEntries((await bench.overview(id)).env.map((one: Json) => [one.key, one.value]));
const get = (path: string) => bench.call('GET', path, { token: bench.token });
const password = expect.stringMatching(/^[A-Za-z0-9]{32}$/);

test('creating a database answers the full Service object', async () => {
  const reply = await bench.create({
    ...database('postgres', { name: 'postgres-db' }),
    internalPort: 5432,
    databasePublicEnabled: false,
    postgresLogicalReplicationEnabled: true,
    env: [
      { key: 'POSTGRES_DB', value: 'shop' },
      { key: 'POSTGRES_USER', value: 'shop' },
      { key: 'POSTGRES_PASSWORD', value: 'given' },
    ],
  });
  expect([reply.status, reply.body]).toEqual([
    200,
    {
      service: {
        id: expect.stringMatching(/^svc_/),
        projectId: bench.project.id,
        name: 'postgres-db',
        slug: 'postgres-db',
        repoFullName: 'database:postgres',
        repoUrl: 'database',
        imageRef: null,
        branch: 'main',
        rootDir: null,
        hasGitHostToken: false,
        installCommand: null,
        buildCommand: null,
        startCommand: null,
        staticOutput: null,
        buildTarget: null,
        releaseCommand: null,
        buildMethod: 'auto',
        dockerfilePath: null,
        detectedBuildMethod: null,
        runtimeMode: 'web',
        internalPort: 5432,
        hostPort: 45000,
        databasePublicEnabled: false,
        databasePublicHostname: null,
        postgresLogicalReplicationEnabled: true,
        engineSettings: {},
        databaseImage: 'postgres:17',
        status: 'idle',
        reachable: false,
        proxyPorts: { http: 80, https: 443 },
        localUrl: '',
        primaryUrl: '',
        preferredDomain: null,
        framework: 'postgres',
        lastDeployedAt: null,
        createdAt: timestamp,
        updatedAt: timestamp,
        runnerId: bench.runner.id,
        healthCheckPath: null,
        healthCheckIntervalSeconds: null,
        protocol: null,
        healthCheckHost: null,
        healthCheckTimeoutSeconds: null,
        healthCheckStartPeriodSeconds: null,
        drainSeconds: null,
        stopGraceSeconds: null,
        stopSignal: null,
        command: null,
        entrypoint: null,
        user: null,
        shmSizeMb: null,
        replicas: 1,
        sleepAfterMinutes: null,
        sleep: null,
        variableNames: null,
        watchPaths: null,
        imageUpdates: null,
        waitForChecks: null,
        memoryLimitMb: null,
        cpuLimit: null,
        protected: false,
      },
    },
  ]);
  expect(await valuesOf(reply.body.service.id)).toEqual({
    POSTGRES_DB: 'shop',
    POSTGRES_USER: 'shop',
    POSTGRES_PASSWORD: 'given',
  });
});

test.each([
  ['postgres', 5432, { POSTGRES_DB: 'app', POSTGRES_USER: 'app', POSTGRES_PASSWORD: password }],
  [
    'timescale',
    5432,
    {
      POSTGRES_DB: 'app',
      POSTGRES_USER: 'app',
      POSTGRES_PASSWORD: password,
      TIMESCALEDB_TELEMETRY: 'off',
    },
  ],
  [
    'mysql',
    3306,
    { MYSQL_DATABASE: 'app', MYSQL_USER: 'app', MYSQL_PASSWORD: password, MYSQL_ROOT_PASSWORD: password },
  ],
  ['redis', 6379, { REDIS_PASSWORD: password }],
  ['mongodb', 27017, { MONGO_INITDB_ROOT_USERNAME: 'app', MONGO_INITDB_ROOT_PASSWORD: password }],
  [
    'clickhouse',
    8123,
    {
      CLICKHOUSE_DB: 'app',
      CLICKHOUSE_USER: 'app',
      CLICKHOUSE_PASSWORD: password,
      CLICKHOUSE_DEFAULT_ACCESS_MANAGEMENT: '0',
    },
  ],
])('%s has its port, and every variable that its image needs', async (engine, port, variables) => {
  const { id } = await insertProject();
  const service = await bench.created(database(engine), id);
  expect(service).toMatchObject({ framework: engine, internalPort: port, imageRef: null });
  const values = await valuesOf(service.id);
  expect(values).toEqual(variables);
  const passwords = Object.values(values).filter((value) => value.length === 32);
  expect(new Set(passwords).size).toBe(passwords.length);
});

test('given variables stay, and empty ones of the engine are filled', async () => {
  const given = [
    { key: 'MYSQL_USER', value: 'me' },
    { key: 'MYSQL_PASSWORD', value: '' },
    { key: 'TZ', value: '' },
  ];
  const { id } = await bench.created(database('mysql', { env: given }), (await insertProject()).id);
  expect(await valuesOf(id)).toEqual({
    MYSQL_USER: 'me',
    TZ: '',
    MYSQL_DATABASE: 'app',
    MYSQL_PASSWORD: password,
    MYSQL_ROOT_PASSWORD: password,
  });
});

test('a custom image, limits and fields of other kinds are stored', async () => {
  const fields = {
    imageRef: 'pgvector/pgvector:pg17',
    memoryLimitMb: 512,
    databasePublicEnabled: true,
    databasePublicHostname: 'db.example.com',
    buildCommand: 'make',
  };
  const service = await bench.created(database('postgres', fields), (await insertProject()).id);
  expect(service).toMatchObject({ ...fields, repoFullName: 'database:postgres' });
});

test('ports come from the block of databases, services from theirs', async () => {
  const { id } = await insertProject();
  const runner = await insertRunner();
  const on = { runnerId: runner.id };
  const ports = [];
  for (const body of [
    database('redis', on),
    { name: 'web', repoUrl: 'https://git.example/web', ...on },
    database('mysql', on),
  ]) {
    ports.push((await bench.created(body, id)).hostPort);
  }
  expect(ports).toEqual([45000, 41000, 45001]);
});

test.each([
  ['an unknown engine', { repoFullName: 'database:oracle' }, '"database:postgres", "database:timescale"'],
  ['no engine', { repoFullName: null }, '"repoFullName" of a database service must name its engine'],
  ['another URL', { repoUrl: 'https://git.example/x' }, '"repoUrl" of a database service must be "database"'],
  ['a worker', { runtimeMode: 'worker' }, '"runtimeMode" of a database service must be "web"'],
  ['a public address', { databasePublicHostname: '10.0.0.1' }, '"databasePublicHostname"'],
  ['a wildcard', { databasePublicHostname: '*.example.com' }, '"databasePublicHostname"'],
  ['another port', { internalPort: 6432 }, '"internalPort" of a PostgreSQL database must be 5432'],
  ['a bad image', { imageRef: '-v /:/host' }, '"imageRef"'],
  [
    'a key twice',
    { env: ['a', 'b'].map((value) => ({ key: 'POSTGRES_DB', value })) },
    '"env[1].key" repeats POSTGRES_DB',
  ],
])('a database is refused: %s', async (_, fields, sentence) => {
  const reply = await bench.create(database('postgres', fields));
  expect([reply.status, reply.body.error]).toEqual([400, expect.stringContaining(sentence)]);
});

test('a change keeps kind, engine and host', async () => {
  const { id } = await insertProject();
  const service = await bench.created(database('postgres'), id);
  const other = await insertRunner({ name: 'other' });
  for (const [body, status] of [
    [{ repoFullName: 'database:mysql' }, 400],
    [{ imageRef: 'mysql:9' }, 400],
    [{ imageRef: 'timescale/timescaledb:2.19.3-pg17' }, 200],
    [{ imageRef: null }, 200],
    [{ repoUrl: 'https://git.example/x' }, 400],
    [{ runtimeMode: 'worker' }, 400],
    [{ internalPort: 6432 }, 400],
    [{ internalPort: 5432 }, 200],
    [{ runnerId: other.id }, 409],
  ] as const) {
    expect([body, (await bench.patch(service.id, body)).status]).toEqual([body, status]);
  }
  const changes = {
    imageRef: 'postgres:16',
    databasePublicEnabled: true,
    databasePublicHostname: 'pg.example.com',
    runnerId: service.runnerId,
    memoryLimitMb: 1024,
  };
  const { body } = await bench.patch(service.id, changes);
  expect(body.service).toEqual({
    ...service,
    ...changes,
    databaseImage: 'postgres:16',
    updatedAt: timestamp,
  });
  expect((await bench.patch(service.id, { imageRef: null })).body.service.imageRef).toBe(null);
  const listed = (await get(`/api/projects/${id}`)).body.project;
  expect(listed).toMatchObject({ status: 'idle', serviceCount: 1, services: [{ id: service.id }] });
});

test('a deployment sends the host engine, image and who may connect; the credentials are sent encrypted', async () => {
  const host = await newHost();
  const runner = await FakeRunner.connect(host.keys);
  const service = await bench.created(
    database('redis', { runnerId: host.runnerId, databasePublicEnabled: true }),
    host.project.id,
  );
  await bench.call('POST', `/api/services/${service.id}/deployments`, { token: bench.token });
  const start = await runner.nextDeployment();
  expect(start.spec.source).toMatchObject({
    type: 'database',
    engine: 'redis',
    imageRef: 'redis:8',
    publicAddress: '0.0.0.0',
  });
  expect(start.spec).toMatchObject({ internalPort: 6379, hostPort: service.hostPort, hostnames: [] });
  const { env: variables } = await runner.openBox(start);
  expect(variables.REDIS_PASSWORD).toEqual(password);
  expect(JSON.stringify(start.spec)).not.toContain(variables.REDIS_PASSWORD);
});

test('a database without its password is not started, and the missing variable is reported', async () => {
  const host = await newHost();
  await FakeRunner.connect(host.keys);
  const service = await bench.created(database('redis', { runnerId: host.runnerId }), host.project.id);
  const body = { key: 'REDIS_PASSWORD', value: '' };
  await bench.call('POST', `/api/services/${service.id}/env`, { token: bench.token, body });
  const queued = await bench.call('POST', `/api/services/${service.id}/deployments`, { token: bench.token });
  const path = `/api/deployments/${queued.body.deployment.id}/logs`;
  const log = async () => JSON.stringify((await bench.call('GET', path, { token: bench.token })).body);
  await expect.poll(log).toContain('REDIS_PASSWORD is missing or empty');
});

test('twenty requests for one name at one moment all get a name', { tags: 'slow' }, async () => {
  const project = await insertProject();
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => bench.create(database('redis'), project.id)),
  );
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
  expect(new Set(replies.map(({ body }) => body.service.slug)).size).toBe(20);
});

test('a root domain gives a public host name, past every name that is taken; without one there is none', async () => {
  const settings = (body: object) =>
    bench.call('PATCH', '/api/system/settings', { token: operatorToken, body });
  const project = await insertProject({ slug: 'rooted' });
  await settings({ rootDomain: 'apps.example.org' });
  const web = await bench.created({ name: 'orders', repoUrl: 'https://git.example/o' });
  await env.DB.prepare(
    `insert into domains (id, service_id, hostname, status, created_at, updated_at)
     values ('dom_r', ?, 'orders-rooted.apps.example.org', 'pending', 1, 1)`,
  )
    .bind(web.id)
    .run();
  const names = [];
  for (const more of [
    {},
    {},
    { databasePublicHostname: null },
    { databasePublicHostname: 'DB.example.com' },
  ]) {
    const service = await bench.created(database('postgres', { name: 'orders', ...more }), project.id);
    names.push(service.databasePublicHostname);
    expect(service.primaryUrl).toBe('');
  }
  await settings({ rootDomain: null });
  expect(names).toEqual([
    'orders-rooted-2.apps.example.org',
    'orders-2.apps.example.org',
    null,
    'db.example.com',
  ]);
});

test('generated names of odd services are valid and unique', async () => {
  const { id } = await insertProject({ slug: 'odd' });
  const urls = [];
  for (const name of ['Café Größe', '数据库', 'x'.repeat(63), `${'long '.repeat(20)}`, 'wpad', 'localhost']) {
    urls.push((await bench.created({ name, repoUrl: 'https://git.example/o' }, id)).primaryUrl);
  }
  expect(urls).toEqual([
    'http://cafe-gro-e.localhost',
    'http://service.localhost',
    `http://${'x'.repeat(50)}.localhost`,
    'http://long-long-long-long-long-long-long-long-long-long.localhost',
    'http://wpad-odd.localhost',
    'http://localhost-odd.localhost',
  ]);
});

test('derived variables resolve in a peer, encoded, public ones only when public; an own one goes before', async () => {
  const project = await insertProject();
  const runner = await insertRunner({ facts: { ...bench.runner.facts, publicIp: '2001:db8::7' } });
  const on = { runnerId: runner.id };
  const db = await bench.created(
    database('postgres', {
      ...on,
      name: 'Main DB',
      databasePublicEnabled: true,
      env: [
        { key: 'POSTGRES_PASSWORD', value: "p@ss/w:rd 'ü%" },
        { key: 'POSTGRES_USER', value: '${ROLE}' },
        { key: 'ROLE', value: 'ro/le' },
      ],
    }),
    project.id,
  );
  await bench.created(
    database('redis', { ...on, name: 'cache', env: [{ key: 'REDIS_URL', value: 'redis://mine' }] }),
    project.id,
  );
  const references = {
    A: '${main-db.DATABASE_URL}',
    B: '<${Main DB.POSTGRES_URL_PUBLIC}>',
    C: '${cache.REDIS_URL}',
    D: '${cache.REDIS_URL_PUBLIC}',
  };
  const web = await bench.created(
    {
      name: 'web',
      repoUrl: 'https://git.example/w',
      ...on,
      env: Object.entries(references).map(([key, value]) => ({ key, value })),
    },
    project.id,
  );
  const { env: shown, warnings } = await bench.overview(web.id);
  const user = 'ro%2Fle:p%40ss%2Fw%3Ard%20%27%C3%BC%25';
  expect(shown.map((one: Json) => one.resolvedValue)).toEqual([
    `postgresql://${user}@main-db:5432/app`,
    `<postgresql://${user}@[2001:db8::7]:${db.hostPort}/app>`,
    'redis://mine',
    '${cache.REDIS_URL_PUBLIC}',
  ]);
  expect(warnings).toEqual([
    'D: ${cache.REDIS_URL_PUBLIC} stays as written, because the service "cache" has no variable REDIS_URL_PUBLIC.',
  ]);
  const ofDatabase = await bench.overview(db.id);
  expect(ofDatabase.env.map((one: Json) => one.key)).toHaveLength(4);
  const inside = `postgresql://${user}@main-db:5432/app`;
  const outside = `postgresql://${user}@[2001:db8::7]:${db.hostPort}/app`;
  expect(ofDatabase.derivedVariables).toEqual([
    { key: 'DATABASE_URL', value: inside, secret: true },
    { key: 'POSTGRES_URL', value: inside, secret: true },
    { key: 'DATABASE_URL_PUBLIC', value: outside, secret: true },
    { key: 'POSTGRES_URL_PUBLIC', value: outside, secret: true },
  ]);
});

test('suggestions for databases have their own keys and resolve unchanged', { tags: 'slow' }, async () => {
  const { id } = await insertProject();
  const one = await bench.created(database('redis', { name: 'cache' }), id);
  await bench.created(database('postgres', { name: '1. Bestell-DB ${x.Y}' }), id);
  await bench.created(database('mysql', { name: 'Old', databasePublicEnabled: true }), id);
  const web = await bench.created({ name: 'web', repoUrl: 'https://git.example/w' }, id);
  const { suggestions } = (await get(`/api/projects/${id}/database-variable-suggestions`)).body;
  expect(suggestions.slice(0, 4)).toEqual([
    { key: 'REDIS_URL', value: '${cache.REDIS_URL}', label: 'URL of cache (Redis)' },
    { key: 'REDIS_PASSWORD', value: '${cache.REDIS_PASSWORD}', label: 'password of cache (Redis)' },
    {
      key: '_1_BESTELL_DB_X_Y_DATABASE_URL',
      value: '${1-bestell-db-x-y.DATABASE_URL}',
      label: 'URL of 1. Bestell-DB ${x.Y} (PostgreSQL)',
    },
    {
      key: 'POSTGRES_URL',
      value: '${1-bestell-db-x-y.POSTGRES_URL}',
      label: 'URL of 1. Bestell-DB ${x.Y} (PostgreSQL)',
    },
  ]);
  const keys: string[] = suggestions.map((one: Json) => one.key);
  expect(keys).toContain('DATABASE_URL_PUBLIC');
  expect(keys).not.toContain('MYSQL_ROOT_PASSWORD');
  expect(new Set(keys).size).toBe(keys.length);
  for (const { key, value } of suggestions) {
    const body = { key, value };
    await bench.call('POST', `/api/services/${web.id}/env`, { token: bench.token, body });
  }
  const { env: shown, warnings } = await bench.overview(web.id);
  expect([warnings, shown.length]).toEqual([[], suggestions.length]);
  for (const { resolvedValue } of shown) expect(resolvedValue).not.toContain('${');
  const ofWeb = (await get(`/api/services/${web.id}/suggestion-keys`)).body;
  expect(ofWeb).toEqual({ suggestions: [], databaseVariables: suggestions });
  const ofCache = (await get(`/api/services/${one.id}/suggestion-keys`)).body;
  expect(ofCache.databaseVariables.map((one: Json) => one.key)).not.toContain('REDIS_URL');
});

test('suggested keys come from the repository, then the framework, without those already set', async () => {
  const { id } = await insertProject();
  const body = { name: 'web', repoUrl: 'https://git.example/w', env: [{ key: 'APP_KEY', value: '1' }] };
  const web = await bench.created(body, id);
  const detected = [
    { key: 'STRIPE_KEY', label: 'from the dashboard' },
    { key: 'APP_URL', label: 'where it lives' },
  ];
  await env.DB.prepare("update services set framework = 'laravel', suggested_keys = ? where id = ?")
    .bind(JSON.stringify(detected), web.id)
    .run();
  const { suggestions } = (await get(`/api/services/${web.id}/suggestion-keys`)).body;
  expect(suggestions).toEqual([...detected, { key: 'APP_ENV', label: 'Laravel: "production"' }]);
  const db = await bench.created(database('redis'), id);
  await env.DB.prepare("update services set framework = 'constructor' where id = ?").bind(web.id).run();
  expect((await get(`/api/services/${web.id}/suggestion-keys`)).body.suggestions).toEqual(detected);
  const {
    env: [variable],
  } = await bench.overview(db.id);
  await bench.call('DELETE', `/api/services/${db.id}/env/${variable.id}`, { token: bench.token });
  expect((await get(`/api/services/${db.id}/suggestion-keys`)).body.suggestions).toEqual([
    { key: 'REDIS_PASSWORD', label: 'Redis: password' },
  ]);
});

test('the user root of MySQL is refused, at creation and later', async () => {
  const env = [{ key: 'MYSQL_USER', value: 'root' }];
  const reply = await bench.create(database('mysql', { name: 'rooted', env }));
  expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request']);
  expect(reply.body.error).toContain('MYSQL_USER can\'t be "root"');
  const { id } = await bench.created(database('mysql', { name: 'rootless' }));
  const [body] = env;
  const set = await bench.call('POST', `/api/services/${id}/env`, { token: bench.token, body });
  expect([set.status, set.body.code]).toEqual([400, 'invalid_request']);
  const other = await bench.created(database('redis', { name: 'another' }));
  const there = await bench.call('POST', `/api/services/${other.id}/env`, { token: bench.token, body });
  expect(there.status).toBe(200);
});

test('logical replication is for PostgreSQL alone, at creation and later', async () => {
  const wanted = { postgresLogicalReplicationEnabled: true };
  const reply = await bench.create(database('mysql', { name: 'replicated', ...wanted }));
  expect([reply.status, reply.body.code]).toEqual([400, 'unsupported']);
  expect(reply.body.error).toContain('"postgresLogicalReplicationEnabled"');
  const { id } = await bench.created(database('redis', { name: 'single' }));
  expect((await bench.patch(id, wanted)).body.code).toBe('unsupported');
  const { id: fits } = await bench.created(database('timescale', { name: 'series' }));
  expect((await bench.patch(fits, wanted)).body.service).toMatchObject(wanted);
});
