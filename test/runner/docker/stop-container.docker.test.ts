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
async function stopped(command: string[], graceSeconds: number, StopSignal?: string) {
  const container = await host.docker.engine.createContainer({
    Image: 'node:24-slim',
    Cmd: command,
    ...(StopSignal && { StopSignal }),
    Labels: { [labels.instance]: host.docker.instance },
    HostConfig: { RestartPolicy: { Name: 'unless-stopped' } },
  });
  const output = await container.attach({ stream: true, stdout: true });
  const runs = new Promise((resolve) => output.once('data', resolve));
  await startContainer(host.docker, container.id);
  await runs;
  const waited = await stopContainer(host.docker, container.id, graceSeconds);
  const { exitCode, running, restarts } = await inspectContainer(host.docker, container.id);
  expect({ running, restarts }).toEqual({ running: false, restarts: 0 });
  return { exitCode, waited };
}

const node = (script: string) => [
  'node',
  '-e',
  `${script}; setInterval(() => {}, 1000); console.log('runs')`,
];

test('a program below a shell that SIGTERM does not reach gets SIGTERM and its time, and its container is not started again', async () => {
  const server = `process.on('SIGTERM', () => setTimeout(() => process.exit(5), 1500)); setInterval(() => {}, 1000); console.log('runs')`;
  const below = ['sh', '-c', `node -e "${server}"; exit $?`];
  expect(await stopped(below, 90)).toEqual({ exitCode: 5, waited: undefined });
  const stubborn = [
    'sh',
    '-c',
    `node -e "process.on('SIGTERM', () => console.log('heard')); setInterval(() => {}, 1000); console.log('runs')"; exit $?`,
  ];
  expect(await stopped(stubborn, 1)).toEqual({ exitCode: 137, waited: { seconds: 1, signal: 'SIGTERM' } });
});

test('a program that SIGTERM does not reach is killed at once; one with a handler gets its time', async () => {
  const deaf = ['sh', '-c', 'echo runs; while :; do sleep 1; done'];
  expect(await stopped(deaf, 90)).toEqual({ exitCode: 137, waited: undefined });
  const polite = node(`process.on('SIGTERM', () => setTimeout(() => process.exit(3), 200))`);
  expect(await stopped(polite, 90)).toEqual({ exitCode: 3, waited: undefined });
  const stubborn = node(`process.on('SIGTERM', () => {})`);
  expect(await stopped(stubborn, 1)).toEqual({ exitCode: 137, waited: { seconds: 1, signal: 'SIGTERM' } });
});

test('a stop that had to kill a program tells the signal that the program was sent, also below a shell', async () => {
  const ignore = `process.on('SIGQUIT', () => {}); setInterval(() => {}, 1000); console.log('runs')`;
  const waited = { seconds: 1, signal: 'SIGQUIT' };
  expect(await stopped(['node', '-e', ignore], 1, 'SIGQUIT')).toEqual({ exitCode: 137, waited });
  const below = ['sh', '-c', `node -e "${ignore}"; exit $?`];
  expect(await stopped(below, 1, 'SIGQUIT')).toEqual({ exitCode: 137, waited });
});
