import { afterAll, beforeAll, expect, test } from 'vitest';
import { labels } from '../../../protocol/names.ts';
import { inspectContainer, startContainer, stopContainer } from '../../../runner/docker/containers.ts';
import { type TestHost, testHost } from '../../support/docker/docker-host.ts';

let host: TestHost;
beforeAll(async () => {
  host = await testHost();
});
afterAll(async () => {
  await host?.remove();
});

/** Stops it as soon as it has printed a line. */
async function stopped(command: string[], graceSeconds: number) {
  const container = await host.docker.engine.createContainer({
    Image: 'node:24-slim',
    Cmd: command,
    Labels: { [labels.instance]: host.docker.instance },
  });
  const output = await container.attach({ stream: true, stdout: true });
  const runs = new Promise((resolve) => output.once('data', resolve));
  await startContainer(host.docker, container.id);
  await runs;
  const waited = await stopContainer(host.docker, container.id, graceSeconds);
  const { exitCode } = await inspectContainer(host.docker, container.id);
  return { exitCode, waited };
}

const node = (script: string) => [
  'node',
  '-e',
  `${script}; setInterval(() => {}, 1000); console.log('runs')`,
];

test('a program that SIGTERM does not reach is killed at once; one with a handler gets its time', async () => {
  const deaf = ['sh', '-c', 'echo runs; while :; do sleep 1; done'];
  expect(await stopped(deaf, 90)).toEqual({ exitCode: 137, waited: 0 });
  const polite = node(`process.on('SIGTERM', () => setTimeout(() => process.exit(3), 200))`);
  expect(await stopped(polite, 90)).toEqual({ exitCode: 3, waited: 0 });
  const stubborn = node(`process.on('SIGTERM', () => {})`);
  expect(await stopped(stubborn, 1)).toEqual({ exitCode: 137, waited: 1 });
});
