// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of variables are written like that
/**
 * A database goes to another host by the steps of docs/guide/databases.md, and its app with it. Each step has a limit of its own: what
 * hangs is named.
 */
import { get } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseEngines } from '../../worker/domain/databases/database-engines.ts';
import { databaseCalls } from '../support/instance/database-calls.ts';
import { buildImage, removeImages } from '../support/instance/image.ts';
import type { Json } from '../support/instance/longshore.ts';
import { type OwnMachine, startOwnMachine } from '../support/instance/own-machine.ts';
import { type SecondRunner, startSecondRunner } from '../support/instance/second-runner.ts';
import { useInstance } from '../support/instance/use-instance.ts';

/** Much longer than any step takes on a busy machine; the whole took 20 min once, and nobody knew where. */
const stepWithinMs = 120_000;
const rowCount = 1_000;

/** Answers which database it reaches. */
const reaching = `const { connect } = require('net'), url = new URL(process.env.DATABASE_URL);
require('http').createServer((_, reply) => {
  const socket = connect(Number(url.port), url.hostname, () => { reply.end(url.hostname); socket.destroy(); });
  socket.on('error', (error) => reply.writeHead(500).end(error.message));
}).listen(3000);
process.on('SIGTERM', () => process.exit());`;
const image = 'longshore-soak-database-move:1';
const longshore = useInstance();
const { ask, overview } = longshore;
let machine: OwnMachine;
let second: SecondRunner;
let project: Json;
let database: Json;
let app: Json;
const old = databaseCalls(longshore, () => database);

beforeAll(async () => {
  await buildImage(image, {
    'server.js': reaching,
    Dockerfile: 'FROM node:24-slim\nCOPY server.js /server.js\nCMD ["node", "/server.js"]\n',
  });
  machine = await startOwnMachine();
  await machine.load(image);
  await machine.load(databaseEngines.postgres.image);
  second = await startSecondRunner(longshore, { machine });
  project = await longshore.newProject('Shop');
  database = await longshore.newDatabase('postgres', { runnerId: longshore.runnerId }, project);
  const of = {
    repoUrl: 'container-image',
    imageRef: image,
    internalPort: 3000,
    runnerId: longshore.runnerId,
  };
  const env = [{ key: 'DATABASE_URL', value: '${db.DATABASE_URL}' }];
  app = await longshore.newService(project, { name: 'shop', ...of, env });
  await longshore.deploy(app.id);
  await old.query(
    `create table orders as select n as id, repeat('x', 100) as text from generate_series(1, ${rowCount}) n`,
  );
});

afterAll(async () => {
  await second?.remove();
  await machine?.remove();
  await removeImages(image);
});

/** The step, with its name in the error when it takes too long. */
async function step<Value>(name: string, work: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`"${name}" took more than ${stepWithinMs / 1000} s`)),
      stepWithinMs,
    );
  });
  return await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** What visitors get by the proxy of a host. */
const page = (host: string, port: number): Promise<string> =>
  new Promise((resolve) => {
    get({ host, port, headers: { host: new URL(app.primaryUrl).hostname } }, (reply) => {
      let text = '';
      reply.on('data', (chunk) => {
        text += chunk;
      });
      reply.on('end', () => resolve(`${reply.statusCode} ${text}`));
    }).on('error', (error) => resolve(error.message));
  });
const onFirst = () => page('127.0.0.1', longshore.httpPort);
const onSecond = () => page(machine.address, second.httpPort);
const hostOf = async (id: string) => (await overview(id)).service.runnerId;

test('a database and its app move by the documented steps, the old database stays as the way back, and the way back works', async () => {
  await expect.poll(onFirst, { timeout: 20_000 }).toBe('200 db');
  await step('stop the app', ask('POST', `/api/services/${app.id}/stop`));
  const backup = await step('back up', old.backUp('remote'));
  expect(backup).toMatchObject({ status: 'succeeded', notKept: [], rows: rowCount });
  const target = { name: 'db2', runnerId: second.runnerId };
  const moved = await step('the new database', longshore.newDatabase('postgres', target, project));
  const restore = { targetServiceId: moved.id };
  await step('restore', ask('POST', old.at(`/backups/${backup.id}/restore`), restore));
  const { query } = databaseCalls(longshore, () => moved);
  const counted = 'select count(*)::int as n, sum(length(text))::int as length from orders';
  expect((await query(counted)).rows).toEqual([{ n: rowCount, length: 100 * rowCount }]);
  const point = (value: string) => ask('POST', `/api/services/${app.id}/env`, { key: 'DATABASE_URL', value });
  await point('${db2.DATABASE_URL}');
  await ask('PATCH', `/api/services/${app.id}`, { runnerId: second.runnerId });
  await step('deploy the app there', longshore.deploy(app.id));
  expect(await hostOf(app.id)).toBe(second.runnerId);
  await expect.poll(onSecond, { timeout: 20_000 }).toBe('200 db2');

  await point('${db.DATABASE_URL}');
  await ask('PATCH', `/api/services/${app.id}`, { runnerId: longshore.runnerId });
  await step('deploy the app back', longshore.deploy(app.id));
  await expect.poll(onFirst, { timeout: 20_000 }).toBe('200 db');
  expect((await old.query(counted)).rows).toEqual([{ n: rowCount, length: 100 * rowCount }]);
});
