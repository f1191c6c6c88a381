import { PassThrough } from 'node:stream';
import { beforeAll, expect, test } from 'vitest';
import { connectDocker } from '../../../local/docker/engine.ts';
import { ensureImage, makeStandInsAhead } from '../../../local/images/ensure-image.ts';
import { recipeLabel } from '../../../local/images/recipe.ts';

const docker = connectDocker();
const image = 'node:24-slim';
const unreachable = { docker, registryReachable: async () => false };
let official: boolean;

beforeAll(async () => {
  official = (await ensureImage(image, { docker })) === 'official';
});

/** Runs a command in a throw-away container without network. */
async function inContainer(...command: string[]): Promise<string> {
  const output: Buffer[] = [];
  const sink = new PassThrough().on('data', (chunk) => output.push(chunk));
  const [result] = await docker.run(image, command, sink, {
    HostConfig: { AutoRemove: true, NetworkMode: 'none' },
    Tty: true,
  });
  expect(result.StatusCode, Buffer.concat(output).toString()).toBe(0);
  return Buffer.concat(output).toString().trim();
}

test('node:24-slim runs this Node major, npm and a shell', async () => {
  expect(await inContainer('node', '-p', 'process.versions.node.split(".")[0]')).toBe('24');
  expect(await inContainer('npm', '--version')).toMatch(/^\d+\.\d+\.\d+$/);
  expect(await inContainer('sh', '-c', 'echo $((40 + 2))')).toBe('42');
});

test('node:24-slim has the user node with uid 1000 and its own home', async () => {
  expect(await inContainer('id', '-u', 'node')).toBe('1000');
  expect(await inContainer('stat', '-c', '%u', '/home/node')).toBe('1000');
});

test('node:24-slim passes arguments that name no program to node', async () => {
  expect(await inContainer('--version')).toMatch(/^v24\./);
});

test('node:24-slim is not made again while nothing has changed', async () => {
  const before = await docker.getImage(image).inspect();
  const said: string[] = [];
  await ensureImage(image, { ...unreachable, say: (line) => said.push(line) });
  expect((await docker.getImage(image).inspect()).Id).toBe(before.Id);
  expect(said).toEqual([]);
});

test('a stand-in carries its recipe, an official one nothing of ours', async () => {
  const { Config } = await docker.getImage(image).inspect();
  expect(Config.Labels?.[recipeLabel] === undefined).toBe(official);
});

test('an image with neither registry nor recipe is refused with a clear reason', async () => {
  await expect(ensureImage('longshore-no-such-image:1', unreachable)).rejects.toMatchObject({
    code: 'image_failed',
    message: 'No container registry answers, and there is no stand-in for longshore-no-such-image:1.',
  });
});

test('nothing is pulled unasked, and an image that cannot be prepared is reported without failing', async () => {
  const said: string[] = [];
  const say = (line: string) => void said.push(line);
  await makeStandInsAhead(['longshore-none:1'], { docker, say, registryReachable: async () => true });
  expect(said).toEqual([]);
  await makeStandInsAhead(['longshore-none:1'], { ...unreachable, say });
  expect(said).toEqual(['No container registry answers, and there is no stand-in for longshore-none:1.']);
});

test('a registry that answers but does not give the image is not waited for twice', async () => {
  const said: string[] = [];
  const asked = ensureImage('127.0.0.1:1/longshore-none:1', {
    docker,
    registryReachable: async () => true,
    say: (line) => said.push(line),
  });
  await expect(asked).rejects.toMatchObject({ code: 'image_failed' });
  expect(said[0]).toBe('pulling 127.0.0.1:1/longshore-none:1');
  expect(said[1]).toContain('could not pull');
});
