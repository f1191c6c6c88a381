/** Real programs as services with a volume: their data outlives deployments, restarts, and a restore of the volume, on a whole instance. */
import { beforeAll, expect, test } from 'vitest';
import { ensureTestImage } from '../stand-ins/ensure-test-image.ts';
import { selfHosted } from '../stand-ins/self-hosted.ts';
import type { Json } from '../support/instance/longshore.ts';
import { useInstance } from '../support/instance/use-instance.ts';
import { data, type Program } from '../support/self-hosted/program.ts';
import { programs, radicale } from '../support/self-hosted/programs.ts';

const longshore = useInstance();
const { ask } = longshore;
const services = new Map<string, Json>();
let project: Json;

beforeAll(async () => {
  await ensureTestImage(selfHosted.image);
  project = await longshore.newProject('Harbour');
});

async function deployed({ name, port, entrypoint, command, env = {}, files = {}, more }: Program) {
  const image = { repoUrl: 'container-image', imageRef: selfHosted.image, internalPort: port };
  const variables = Object.entries(env).map(([key, value]) => ({ key, value }));
  const settings = {
    entrypoint,
    ...(command ? { command } : {}),
    user: '1000:1000',
    env: variables,
    ...more,
  };
  const service = await longshore.newService(project, { name, ...image, ...settings });
  for (const [path, content] of Object.entries(files))
    await ask('PUT', `/api/services/${service.id}/files`, { path, content, secret: false });
  const { volume } = await ask('POST', `/api/services/${service.id}/volumes`, {
    name: 'data',
    mountPath: data,
  });
  await longshore.deploy(service.id);
  services.set(name, { ...service, volume });
  return service;
}

/** Some show what they have stored only after a moment. */
const expectKept = ({ read, kept }: Program, url: string) =>
  expect.poll(() => read(url).catch(String), { timeout: 240_000 }).toContain(kept);

test.each(programs)('$name keeps its data through a deployment and a restart', async (program) => {
  const { id, localUrl } = await deployed(program);
  await program.write(localUrl);
  await expectKept(program, localUrl);
  const { id: second } = await longshore.deploy(id);
  await expectKept(program, localUrl);
  const { deployment } = await ask('POST', `/api/services/${id}/restart`);
  expect(await longshore.finished(deployment.id, id)).toMatchObject({ status: 'running' });
  await expectKept(program, localUrl);
  for (const one of [second, deployment.id]) expect(await longshore.log(one)).not.toContain('was killed');
});

test('a backup of a volume brings back what the program has removed since', async () => {
  const { id, localUrl, volume } = services.get(radicale.name) as Json;
  const backups = `/api/services/${id}/volume-backups`;
  const { backup } = await ask('POST', backups, { volumeId: volume.id, storage: 'disk', quiesce: 'stop' });
  const listed = async () => (await ask('GET', backups)).backups.find((one: Json) => one.id === backup.id);
  await expect.poll(async () => (await listed()).status, { timeout: 240_000 }).toBe('succeeded');
  await fetch(`${localUrl}/ada/regattas/`, {
    method: 'DELETE',
    headers: { authorization: `Basic ${btoa('ada:any')}` },
  });
  expect(await radicale.read(localUrl).catch(String)).toContain('404');
  expect(await ask('POST', `${backups}/${backup.id}/restore`)).toMatchObject({ ok: true });
  await expect.poll(async () => (await listed()).restore.state, { timeout: 240_000 }).toBe('succeeded');
  await expectKept(radicale, localUrl);
});
