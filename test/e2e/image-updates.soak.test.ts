/** New digests of a tag, with a real registry, the real cron of an instance, and a service whose new version damages its volume. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildImage, removeImages } from '../support/instance/image.ts';
import type { Json } from '../support/instance/longshore.ts';
import { useInstance } from '../support/instance/use-instance.ts';
import { startRegistry } from '../support/servers/image-registry.ts';

/** Its volume keeps the schema of the newest version that ran on it. */
const server = (version: number, serves: boolean) => `const fs = require('fs'), file = '/data/schema';
fs.mkdirSync('/data', { recursive: true });
fs.writeFileSync(file, '${version}');
if (${serves}) require('http').createServer((_, reply) => reply.end('${version} on ' + fs.readFileSync(file))).listen(3000);
else process.exit(1);
process.on('SIGTERM', () => process.exit());`;

const docker = new Docker();
const longshore = useInstance();
const { ask } = longshore;
let registry: Awaited<ReturnType<typeof startRegistry>>;
let directory: string;
let project: Json;
const tags: string[] = [];

/** Builds a version of an image and pushes it to the tag. */
async function push(name: string, version: number, serves = true): Promise<string> {
  const tag = `${new URL(registry.url).host}/${name}:1`;
  await buildImage(tag, {
    'server.js': server(version, serves),
    Dockerfile: 'FROM node:24-slim\nCOPY server.js /server.js\nCMD ["node", "/server.js"]\n',
  });
  const output = await docker.getImage(tag).push({ authconfig: { username: 'x', password: 'x' } });
  const events = await new Promise<{ error?: string }[]>((resolve, reject) =>
    docker.modem.followProgress(output, (error, all) => (error ? reject(error) : resolve(all ?? []))),
  );
  expect(events.find(({ error }) => error !== undefined)).toBeUndefined();
  tags.push(tag);
  return tag;
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'longshore-registry-'));
  registry = await startRegistry(directory);
  project = await longshore.newProject('Shop');
});
afterAll(async () => {
  await registry?.stop();
  await removeImages(...tags);
  await rm(directory, { recursive: true, force: true });
});

async function service(name: string, hasVolume: boolean): Promise<Json> {
  const imageRef = await push(name, 1);
  const source = { repoUrl: 'container-image', imageRef, internalPort: 3000 };
  const made = await longshore.newService(project, { name, ...source });
  if (hasVolume) await ask('POST', `/api/services/${made.id}/volumes`, { name: 'data', mountPath: '/data' });
  const { imageDigest } = await longshore.deploy(made.id);
  expect(imageDigest).toMatch(/^sha256:/);
  return made;
}

const switchOn = ({ id }: Json) => ask('PATCH', `/api/services/${id}`, { imageUpdates: 'always' });
const update = async ({ id }: Json): Promise<Json> =>
  (await ask('GET', `/api/services/${id}/image-update`)).imageUpdate;
const visit = async ({ localUrl }: Json) => (await fetch(localUrl)).text();

test('a new digest deploys by itself, and an unhealthy one gives the old version back with the data of its volume', async () => {
  const [shop, files] = [await service('shop', false), await service('files', true)];
  expect([await visit(shop), await visit(files)]).toEqual(['1 on 1', '1 on 1']);
  await push('shop', 2);
  await push('files', 2, false);
  await Promise.all([switchOn(shop), switchOn(files)]);
  const outcome = (one: Json) => async () => (await update(one)).outcome?.result;
  await expect.poll(outcome(shop), { timeout: 240_000, interval: 1_000 }).toBe('deployed');
  expect(await visit(shop)).toBe('2 on 2');
  await expect.poll(outcome(files), { timeout: 600_000, interval: 1_000 }).toBe('failed');
  const ended = await update(files);
  expect(ended.outcome.detail).toContain('as they were in the backups');
  expect(ended).toMatchObject({ state: 'current', liveDigest: expect.not.stringMatching(ended.digest) });
  await expect.poll(() => visit(files).catch(String), { timeout: 60_000 }).toBe('1 on 1');
  const { backups } = await ask('GET', `/api/services/${files.id}/volume-backups`);
  expect(backups.map(({ trigger }: Json) => trigger).sort()).toEqual(['pre-restore', 'pre-update']);
  const { deployments } = await ask('GET', `/api/services/${files.id}/deployments`);
  expect(deployments.map(({ trigger, status }: Json) => [trigger, status])).toEqual([
    ['image-update', 'failed'],
    ['manual', 'running'],
  ]);
}, 900_000);
