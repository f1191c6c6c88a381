/** A real runner process that dies at a named point of a job on data, and its hub. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { JobResult } from '../../../protocol/job-report.ts';
import { acknowledgeLogs } from '../runner/stage.ts';
import type { TestHub } from '../runner/test-hub.ts';
import { until } from '../runner/until.ts';

const projectRoot = fileURLToPath(new URL('../../..', import.meta.url));
const script = 'test/support/docker/data-runner.ts';
export const endsWithinMs = 300_000;

/** Makes the hub acknowledge everything and permit every exchange. */
export function obey(hub: TestHub): void {
  hub.onFrame = (frame) => {
    if (frame.type === 'logs') acknowledgeLogs(hub, frame);
    if (frame.type === 'report') hub.send({ type: 'report-ack', id: frame.id });
    if (frame.type === 'switch-request')
      hub.send({ type: 'switch-answer', job: frame.job, epoch: frame.epoch, granted: true });
  };
}

/** Filters by epoch, because a runner may still report the end of the previous job. */
export const resultOf = (hub: TestHub, epoch: number): JobResult | undefined =>
  hub
    .all('report')
    .flatMap((report) =>
      report.epoch === epoch && report.event.type === 'result' ? [report.event.result] : [],
    )[0];

/** @throws Error with the result of the job, if the runner did not die */
export async function untilKilled(
  runner: KilledRunner,
  hub: TestHub,
  { point, epoch }: { point: string; epoch: number },
): Promise<void> {
  const isReport = point.startsWith('report:');
  const early = until('an end', () => (isReport ? undefined : resultOf(hub, epoch)), endsWithinMs).catch(
    (cause: unknown) => {
      throw new Error(`${point}: the job neither ended nor died. ${runner.said()}`, { cause });
    },
  );
  const ended = await Promise.race([runner.ended, early]);
  if (ended === 'SIGKILL') return;
  await runner.stop();
  throw new Error(`${point} was never reached: ${JSON.stringify(ended)} ${runner.said()}`);
}

export interface KilledRunner {
  ended: Promise<unknown>;
  kill(): void;
  said(): string;
  stop(): Promise<void>;
}

export function startRunner(args: string[], crashAt: string | undefined): KilledRunner {
  const child = spawn(process.execPath, [script, ...args], {
    cwd: projectRoot,
    env: { ...process.env, ...(crashAt === undefined ? {} : { CRASH_AT: crashAt }) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (said += String(data)));
  const ended = new Promise((resolve) => child.once('close', (code, signal) => resolve(signal ?? code)));
  return {
    ended,
    kill: () => void child.kill('SIGKILL'),
    said: () => said,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
