import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stableContainerName } from '../../../protocol/names.ts';
import { systemClock } from '../../../runner/base/clock.ts';
import { deploymentLabels } from '../../../runner/docker/client.ts';
import { createContainer, removeContainer, startContainer } from '../../../runner/docker/containers.ts';
import { keptLogsDirectory } from '../../../runner/host/keep-logs.ts';
import { KeptLogs } from '../../../runner/kept-logs/kept-logs.ts';
import { LogSearches } from '../../../runner/kept-logs/search/log-searches.ts';
import { type TestHost, testHost, testId } from '../../support/docker/docker-host.ts';
import { silentLogger } from '../../support/runner/silent-logger.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';
import { until } from '../../support/runner/until.ts';

let host: TestHost;
const keepers: ChildProcess[] = [];
beforeAll(async () => {
  host = await testHost();
});
afterAll(async () => {
  for (const keeper of keepers) keeper.kill('SIGKILL');
  await host?.remove();
});

const serviceId = testId('service');

async function serve(script: string): Promise<string> {
  const owner = { projectId: testId('project'), serviceId, deploymentId: testId('deployment'), epoch: 1 };
  const id = await createContainer(host.docker, {
    name: stableContainerName(serviceId),
    image: 'node:24-slim',
    env: {},
    labels: deploymentLabels(host.docker, owner, 'app'),
    networkId: 'bridge',
    address: '',
    memoryLimitMb: 128,
    cpuLimit: null,
    settings: { command: ['node', '-e', script] },
  });
  await startContainer(host.docker, id);
  return id;
}

/** The kept lines, oldest first. */
async function kept(directory: string): Promise<{ stream: string; line: string }[]> {
  const limits = { serviceBytes: 1e9, totalBytes: 1e9, ageMs: 1e9 };
  const parts = { directory: keptLogsDirectory(directory), limits, clock: systemClock, logger: silentLogger };
  const searches = new LogSearches(new KeptLogs(parts), { ms: 60_000, bytes: 1e9 });
  const lines = [];
  for (let from: number | null = null; ; ) {
    const services = [{ serviceId, from }];
    const answer = await searches.answer({ services, order: 'oldest', limit: 1_000 });
    if ('refused' in answer) throw new Error(answer.reason);
    lines.push(...answer.lines);
    from = answer.services[0]?.from ?? null;
    if (answer.stopped === 'end') return lines;
  }
}

function keep(directory: string): ChildProcess {
  const program = fileURLToPath(new URL('../../support/docker/log-keeper-program.ts', import.meta.url));
  const keeper = spawn(process.execPath, [program, host.docker.instance, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  keepers.push(keeper);
  return keeper;
}

test('a keeper that is killed again and again keeps every line of a container once, and its crash', async () => {
  const directory = temporaryDirectory();
  const id = await serve(
    `let n = 0;
     const run = Date.now();
     const print = () => {
       for (let i = 0; i < 40; i++) (n % 5 ? console.log : console.error)(run + ' ' + n++);
       if (n < 12000) setTimeout(print, 10); else process.exit(3);
     };
     print();`,
  );
  for (let kill = 0; kill < 4; kill++) {
    const keeper = keep(directory);
    await pause(500 + 150 * kill);
    keeper.kill('SIGKILL');
    await new Promise((resolve) => keeper.once('exit', resolve));
  }
  const keeper = keep(directory);
  // Docker keeps no order between stdout and stderr, and runs the container again.
  const printed = await until('all lines of the first run', async () => {
    const lines = (await kept(directory)).filter(({ stream }) => stream !== 'system');
    const firstRun = Math.min(...lines.map(({ line }) => Number.parseInt(line, 10)));
    const ofFirst = lines.map(({ line }) => line.split(' ')).filter(([run]) => Number(run) === firstRun);
    return ofFirst.length >= 12_000 && ofFirst.map(([, n]) => n);
  });
  expect(printed.toSorted()).toEqual(Array.from({ length: 12_000 }, (_, n) => `${n}`).sort());
  const crash = await until('the line of its crash', async () =>
    (await kept(directory)).find(({ line }) => line.includes('exit code 3')),
  );
  expect(crash).toMatchObject({ stream: 'system' });
  keeper.kill('SIGTERM');
  await new Promise((resolve) => keeper.once('exit', resolve));
  await removeContainer(host.docker, id);
});
