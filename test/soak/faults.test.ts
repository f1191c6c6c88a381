/** Faults 10 to 14 of docs/design/reliability.md on a whole instance. Docker's own failures are made by a socket in front of it: the machine's daemon is not touched. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import Docker from 'dockerode';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { labels } from '../../protocol/names.ts';
import { type DeployedPair, deployedPair, slowApp } from '../support/instance/deployed-pair.ts';
import { killNine, programs } from '../support/instance/instance-processes.ts';
import { type Prober, probe } from '../support/instance/prober.ts';
import { settled } from '../support/instance/remains.ts';

const run = promisify(execFile);
const docker = new Docker();

let pair: DeployedPair;
let neighbour: Prober;
let serving = 'subject 0';
let version = 0;

const tidy = async () => {
  const { there, wanted } = await settled(pair.longshore, [pair.neighbour.id, pair.subject.id]);
  expect(there).toEqual(wanted);
};
const next = () => `subject ${++version}`;

/** The code is the first thing that the log's last line says. */
async function failed(deploymentId: string, code: string): Promise<void> {
  const deployment = await pair.final(deploymentId);
  const log = await pair.longshore.log(deploymentId);
  expect(deployment.status, log).toBe('failed');
  expect(log.split('\n').at(-1)).toContain(`Failed (${code})`);
  expect(await pair.answer()).toBe(serving);
}

async function deployed(text: string): Promise<void> {
  const id = await pair.deploy(text);
  expect((await pair.final(id)).status, await pair.longshore.log(id)).toBe('running');
  expect(await pair.answer()).toBe(text);
  serving = text;
}

const undisturbed = async () => {
  const { failures, answers } = await neighbour.take();
  expect(failures).toEqual([]);
  // A refusal may come within half a second, in which a busy machine answers few requests.
  expect(answers).toBeGreaterThan(10);
};

describe('faults of Docker', () => {
  beforeAll(async () => {
    pair = await deployedPair();
    neighbour = probe(pair.neighbour.hostPort, (body) => body === 'neighbour 0');
  });
  beforeEach(() => neighbour.take());
  afterEach(() => pair.gateway.mend());
  afterAll(async () => {
    await neighbour?.stop();
    await pair?.close();
  });

  test('12: a deployment whose daemon dies during the build fails, leaves nothing, and the next one works', async () => {
    const reached = pair.gateway.hold(/^POST \/build$/, 'before');
    const id = await pair.deploy(next());
    (await reached).release();
    await pause(400);
    await pair.gateway.die();
    await failed(id, 'docker_unavailable');
    await pause(2_000);
    await pair.gateway.mend();
    await deployed(next());
    await undisturbed();
    await tidy();
  });

  test('12: a deployment whose daemon dies during the health check leaves no container', async () => {
    const reached = pair.gateway.hold(/^POST \/containers\/\w+\/start$/, 'after');
    const id = await pair.deploy(next());
    await reached;
    await pair.gateway.die();
    await failed(id, 'docker_unavailable');
    await pause(1_000);
    await pair.gateway.mend();
    await tidy();
    await undisturbed();
  });

  test('12: a deployment whose daemon dies after the switch waits for it and succeeds', async () => {
    const reached = pair.gateway.hold(/^POST \/containers\/\w+\/rename$/, 'before');
    const text = next();
    const id = await pair.deploy(text);
    await reached;
    await pair.gateway.die();
    await pause(3_000);
    expect(await pair.answer()).toBe(text);
    await pair.gateway.mend();
    expect((await pair.final(id)).status).toBe('running');
    serving = text;
    await tidy();
    await undisturbed();
  });

  test('13: a deployment whose daemon hangs during the build ends within a minute, and other apps serve', async () => {
    const reached = pair.gateway.hold(/^POST \/build$/, 'before');
    const id = await pair.deploy(next());
    const { release } = await reached;
    const from = performance.now();
    pair.gateway.hang();
    release();
    await failed(id, 'docker_unavailable');
    expect(performance.now() - from).toBeLessThan(110_000);
    await pair.gateway.mend();
    await deployed(next());
    await undisturbed();
    await tidy();
  });

  test('14: a build without disk space of the daemon fails with its reason', async () => {
    pair.gateway.refuse(/^POST \/build$/, 500, 'write /var/lib/docker/tmp/x: no space left on device');
    await failed(await pair.deploy(next()), 'disk_full');
    await pair.gateway.mend();
    await deployed(next());
    await undisturbed();
    await tidy();
  });

  test.runIf(process.getuid?.() === 0)(
    '14: a checkout without disk space of the runner fails with its reason (only root may mount a small file system)',
    async () => {
      const work = join(pair.longshore.dataDirectory, 'runner', 'work');
      await mkdir(work, { recursive: true });
      await run('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', work]);
      try {
        await pair.repository.commit({
          ...slowApp(next()),
          ballast: randomBytes(3_000_000).toString('base64'),
        });
        const { body } = await pair.longshore.call('POST', `/api/services/${pair.subject.id}/deployments`);
        await failed(body.deployment.id, 'disk_full');
        await pair.repository.commit({ ballast: '' });
        expect((await run('ls', ['-A', work])).stdout).toBe('');
      } finally {
        await run('umount', ['-l', work]);
      }
      await undisturbed();
      await tidy();
    },
  );
});

describe('faults of the host', () => {
  beforeAll(async () => {
    pair = await deployedPair({ CRASH_AT: 'switch:moved' });
    serving = 'subject 0';
  });
  afterAll(() => pair?.close());

  test('10: every deployment whose runner dies right after the switch has succeeded, once', async () => {
    // Those that made the pair died there already, too.
    await deployed(next());
    const [live] = await docker.listContainers({
      filters: { label: [`${labels.service}=${pair.subject.id}`] },
    });
    expect(live?.Labels[labels.epoch]).toBe('1');
    await tidy();
  });

  test('11: after a reboot during a deployment the apps are back and the job has failed', async () => {
    const reached = pair.gateway.hold(/^POST \/containers\/\w+\/start$/, 'after');
    const id = await pair.deploy(next());
    await reached;
    await killNine(pair.longshore.dataDirectory, programs);
    await rebootContainers();
    await pair.longshore.start();
    await failed(id, 'runner_restarted');
    expect(await (await fetch(`http://127.0.0.1:${pair.neighbour.hostPort}`)).text()).toBe('neighbour 0');
    await tidy();
    await deployed(next());
  });
});

/** As dockerd after a boot: every container with a restart policy that ran is started again. */
async function rebootContainers(): Promise<void> {
  const filters = { label: [`${labels.instance}=${pair.longshore.runnerId}`] };
  const running = await docker.listContainers({ filters });
  expect(running.length).toBe(3);
  await Promise.all(running.map(({ Id }) => docker.getContainer(Id).kill()));
  await Promise.all(running.map(({ Id }) => docker.getContainer(Id).start()));
}
