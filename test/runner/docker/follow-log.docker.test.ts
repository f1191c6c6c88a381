import { afterAll, beforeAll, expect, test } from 'vitest';
import { levelOf } from '../../../protocol/logs/lines/line-level.ts';
import { deploymentContainerName, labels, stableContainerName } from '../../../protocol/names.ts';
import { deploymentLabels } from '../../../runner/docker/client.ts';
import { lastLines } from '../../../runner/docker/container-log.ts';
import { containerOptions } from '../../../runner/docker/container-options.ts';
import { removeContainer, startContainer } from '../../../runner/docker/containers.ts';
import { liveContainer, loggedContainers, readLog } from '../../../runner/docker/follow-log.ts';
import { secretKeysLabel } from '../../../runner/docker/secret-keys.ts';
import { cleanLine } from '../../../runner/job-log/clean-line.ts';
import { secretMask } from '../../../runner/job-log/secret-mask.ts';
import { readFacts } from '../../../runner/kept-logs/line-facts.ts';
import { type TestHost, testHost, testId } from '../../support/docker/docker-host.ts';
import { oddLines, oddProgram, withoutColours } from '../../support/real-world/odd-output.ts';

let host: TestHost;
beforeAll(async () => {
  host = await testHost();
});
afterAll(async () => {
  await host?.remove();
});

/** Only its logging matters here. */
const anyRequest = {
  name: '',
  image: '',
  env: {},
  labels: {},
  networkId: '',
  address: '',
  memoryLimitMb: null,
  cpuLimit: null,
};

/** Runs a script as a service's live container, logged as one; or beside the live one of the service that is named. */
async function serve(
  script: string,
  env: Record<string, string> = {},
  beside?: string,
  secretKeys?: string[],
  labelled: Record<string, string> = {},
) {
  const [projectId, serviceId, deploymentId] = [
    testId('project'),
    beside ?? testId('service'),
    testId('deployment'),
  ];
  const container = await host.docker.engine.createContainer({
    name: beside ? deploymentContainerName(serviceId, deploymentId) : stableContainerName(serviceId),
    Image: 'node:24-slim',
    Cmd: ['node', '-e', script],
    Env: Object.entries(env).map(([key, value]) => `${key}=${value}`),
    Labels: {
      ...deploymentLabels(host.docker, { projectId, serviceId, deploymentId, epoch: 1 }, 'app'),
      ...secretKeysLabel({ secretKeys }),
      ...labelled,
    },
    HostConfig: { LogConfig: containerOptions(anyRequest).HostConfig?.LogConfig ?? { Type: '', Config: {} } },
  });
  const { id } = container;
  await startContainer(host.docker, id);
  return { id, serviceId, deploymentId };
}

/** Its last lines; Docker counts the parts of a long one. */
const tailOf = (id: string, tail: number) =>
  readLog(host.docker, id, { since: 0, tail, follow: false }, new AbortController().signal);

test('every line of a container comes once and whole, in order, with its time: long, binary, empty, two streams', async () => {
  const { id, serviceId, deploymentId } = await serve(
    `console.log('first'); console.error('error'); console.log('');
     process.stdout.write(Buffer.from([0xff, 0xfe, 0x0a]));
     process.stdout.write('x'.repeat(400_000) + 'end\\n'); process.stdout.write('y'.repeat(1_500_000) + '\\n');
     process.stdout.write('half '); setTimeout(() => console.log('line'), 200);
     setInterval(() => {}, 1000);`,
    { TOKEN: 'secret-token' },
  );
  const live = await liveContainer(host.docker, serviceId);
  expect(live).toMatchObject({ id, deploymentId, secrets: expect.arrayContaining(['secret-token']) });
  const stop = new AbortController();
  const lines = [];
  for await (const batch of readLog(host.docker, id, { since: 0, follow: true }, stop.signal)) {
    lines.push(...batch);
    if (lines.some(({ text }) => text.endsWith('line'))) stop.abort();
  }
  const out = lines.filter(({ stream }) => stream === 'stdout').map(({ text }) => text);
  const longest = 'y'.repeat(1024 * 1024);
  expect(out).toEqual(['first', '', '\ufffd\ufffd', `${'x'.repeat(400_000)}end`, longest, 'half line']);
  expect(lines.filter(({ cut }) => cut).map(({ text }) => text)).toEqual([longest]);
  expect(lines.find(({ stream }) => stream === 'stderr')?.text).toBe('error');
  const now = Date.now() * 1000;
  for (const { at } of lines) expect(Math.abs(at - now)).toBeLessThan(60_000_000);
  // Docker copies the two streams side by side: of stdout alone is the order known.
  const ends = (await Array.fromAsync(tailOf(id, 3))).flat().filter(({ stream }) => stream === 'stdout');
  expect(ends.slice(-1).map(({ text }) => text)).toEqual(['half line']);
  await removeContainer(host.docker, id);
});

test('odd output of two streams comes whole and in order, followed and as the last lines of a container', async () => {
  const { id } = await serve(oddProgram);
  const batches = readLog(host.docker, id, { since: 0, follow: true }, new AbortController().signal);
  const followed = (await Array.fromAsync(batches)).flat();
  const expected = oddLines.flatMap(({ shown, level }, n) => [
    { shown, level },
    { shown: `after ${n}`, level: null },
  ]);
  for (const lines of [followed, await lastLines(host.docker, id, 1_000)]) {
    const out = lines.filter(({ stream }) => stream === 'stdout');
    expect(out.every(({ cut }) => !cut)).toBe(true);
    expect(
      out.map(({ text }, n) => ({
        shown: withoutColours(cleanLine(text)).slice(0, expected[n]?.shown.length),
        level: levelOf(cleanLine(text), readFacts(text, secretMask([]))),
      })),
    ).toEqual(expected);
    const beside = lines.filter(({ stream }) => stream === 'stderr').map(({ text }) => text);
    expect(beside).toEqual(oddLines.map((_, n) => `beside ${n}`));
  }
  const [long] = await lastLines(host.docker, id, 1_000).then((all) =>
    all.filter(({ text }) => text.length > 250_000),
  );
  expect(long?.text).toBe(oddLines.find(({ is }) => is.includes('300 KB'))?.bytes.toString());
  await removeContainer(host.docker, id);
});

test('following ends with the container; a service without one, or of another instance, has none', async () => {
  const { id, serviceId } = await serve('console.log("done"); setTimeout(() => process.exit(0), 300)');
  const batches = readLog(host.docker, id, { since: 0, follow: true }, new AbortController().signal);
  expect((await Array.fromAsync(batches)).flat().map(({ text }) => text)).toContain('done');
  expect(await liveContainer({ ...host.docker, instance: 'run_other' }, serviceId)).toBeUndefined();
  await removeContainer(host.docker, id);
  expect(await liveContainer(host.docker, serviceId)).toBeUndefined();
});

test('only the variables that the container names as secret are masked, not plain ones and not those of its image', async () => {
  const env = { MODE: 'wrongport', TOKEN: 'secret-token' };
  const { id, serviceId } = await serve('setInterval(() => {}, 1000)', env, undefined, ['TOKEN']);
  expect((await liveContainer(host.docker, serviceId))?.secrets).toEqual(['secret-token']);
  expect((await loggedContainers(host.docker, serviceId)).map(({ secrets }) => secrets)).toEqual([
    ['secret-token'],
  ]);
  await removeContainer(host.docker, id);
});

test('the log of a service is that of the container that serves and of those beside it, each with its own secrets', async () => {
  const idle = 'setInterval(() => {}, 1000)';
  const live = await serve(idle, { TOKEN: 'of-the-live-one' });
  const second = { [labels.replica]: '1' };
  const candidate = await serve(idle, { TOKEN: 'of-the-new-one' }, live.serviceId, undefined, second);
  const found = await loggedContainers(host.docker, live.serviceId);
  const shown = found.map(({ id, deploymentId, isLive, replica, secrets }) => ({
    id,
    deploymentId,
    isLive,
    replica,
    secret: secrets.find((secret) => secret.startsWith('of-the-')),
  }));
  const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1);
  expect(shown.sort(byId)).toEqual(
    [
      {
        id: live.id,
        deploymentId: live.deploymentId,
        isLive: true,
        replica: undefined,
        secret: 'of-the-live-one',
      },
      {
        id: candidate.id,
        deploymentId: candidate.deploymentId,
        isLive: false,
        replica: 2,
        secret: 'of-the-new-one',
      },
    ].sort(byId),
  );
  for (const { id } of [live, candidate]) await removeContainer(host.docker, id);
  expect(await loggedContainers(host.docker, live.serviceId)).toEqual([]);
});

test('each line comes once, in order, over the new files that Docker begins while a log is followed', async () => {
  const count = 40_000;
  const { id } = await serve(
    `const rest = require('node:crypto').randomBytes(400).toString('base64');
     let n = 0;
     const more = () => {
       for (let of = 0; of < 500; of++) console.log(++n + ' ' + rest);
       if (n < ${count}) setTimeout(more, 40);
     };
     setTimeout(more, 300);`,
  );
  const read: number[] = [];
  for await (const lines of readLog(
    host.docker,
    id,
    { since: 0, follow: true },
    new AbortController().signal,
  ))
    read.push(...lines.map(({ text }) => Number(text.split(' ')[0])));
  expect(read.findIndex((number, index) => number !== index + 1)).toBe(-1);
  expect(read).toHaveLength(count);
});
