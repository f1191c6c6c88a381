/** A real runner process, killed with SIGKILL: what the journal holds is made good by the next one. */
import { expect, onTestFinished, test } from 'vitest';
import { startChild } from '../support/runner/child.ts';
import { enrolled } from '../support/runner/enrolled.ts';
import { acknowledgeLogs } from '../support/runner/stage.ts';
import { temporaryDirectory } from '../support/runner/temporary-directory.ts';
import { startTestHub, type TestHub } from '../support/runner/test-hub.ts';
import { until } from '../support/runner/until.ts';

const script = 'test/support/runner/crash-runner.ts';

async function scene() {
  const dataDirectory = temporaryDirectory();
  const hub = await startTestHub();
  onTestFinished(() => hub.close());
  return { dataDirectory, hub, ...enrolled(dataDirectory, hub) };
}

function acknowledgeAll(hub: TestHub): void {
  hub.onFrame = (frame) => {
    if (frame.type === 'logs') acknowledgeLogs(hub, frame);
    if (frame.type === 'report') hub.send({ type: 'report-ack', id: frame.id });
  };
}

const logOf = (hub: TestHub) => {
  const lines = new Map<number, string>();
  for (const frame of hub.all('logs')) {
    for (const [index, { line }] of frame.lines.entries()) lines.set(frame.first + index, line);
  }
  return [...lines].sort(([a], [b]) => a - b);
};

test('an unfinished job is recovered and reported with its epoch; its log continues without a gap and says where it had come', async () => {
  const { dataDirectory, hub, start } = await scene();
  const first = startChild(script, [dataDirectory, 'hang']);
  await hub.welcomed(1);
  hub.send(start('job_1', { epoch: 7 }));
  await hub.received('logs');
  await first.kill('SIGKILL');
  acknowledgeAll(hub);
  startChild(script, [dataDirectory, 'hang']);
  const report = await hub.received('report', ({ event }) => event.type === 'result');
  expect(report).toMatchObject({ job: 'job_1', epoch: 7, event: { result: { code: 'runner_restarted' } } });
  expect(hub.all('hello').at(-1)?.jobs).toEqual([{ job: 'job_1', epoch: 7 }]);
  expect(logOf(hub)).toEqual([
    [1, 'one'],
    [2, 'two'],
    [3, 'three'],
    [4, expect.stringMatching(/^The runner ended in the phase "build" of this job\./)],
    [5, 'recovered {"container":"one"}'],
    [6, 'Failed (runner_restarted): again'],
  ]);
});

test('unacknowledged reports are sent again after kill -9, unchanged and in order', async () => {
  const { dataDirectory, hub, start } = await scene();
  const first = startChild(script, [dataDirectory, 'finish']);
  await hub.welcomed(1);
  hub.onFrame = (frame) => {
    if (frame.type === 'logs') acknowledgeLogs(hub, frame);
  };
  hub.send(start('job_1'));
  await hub.received('report', ({ event }) => event.type === 'result');
  const sent = [...new Set(hub.all('report').map(({ id }) => id))];
  await first.kill('SIGKILL');
  hub.frames.length = 0;
  startChild(script, [dataDirectory, 'finish']);
  await until('the reports', () => hub.all('report').length >= sent.length);
  expect(
    hub
      .all('report')
      .slice(0, sent.length)
      .map(({ id }) => id),
  ).toEqual(sent);
  expect(sent).toHaveLength(3);
});

test('acknowledged reports are not sent again after kill -9', async () => {
  const { dataDirectory, hub, start } = await scene();
  acknowledgeAll(hub);
  const first = startChild(script, [dataDirectory, 'finish']);
  await hub.welcomed(1);
  hub.send(start('job_1'));
  await hub.received('report', ({ event }) => event.type === 'result');
  // The runner answers in order: when it has the next job it has the acknowledgement.
  hub.send(start('job_2'));
  await hub.received('report', ({ job, event }) => job === 'job_2' && event.type === 'result');
  await first.kill('SIGKILL');
  hub.frames.length = 0;
  startChild(script, [dataDirectory, 'finish']);
  await hub.received('observed');
  expect(hub.all('report').filter(({ job }) => job === 'job_1')).toEqual([]);
  expect(hub.all('hello')[0]?.jobs.map(({ job }) => job)).not.toContain('job_1');
});

test('chores are resumed after kill -9', async () => {
  const { dataDirectory } = await scene();
  const first = startChild(script, [dataDirectory, 'chore']);
  await first.printed('started');
  await first.kill('SIGKILL');
  const second = startChild(script, [dataDirectory, 'finish']);
  await second.printed('swept dust');
});

test('the data directory is locked while the process lives, and free at once after kill -9', async () => {
  const { dataDirectory } = await scene();
  const first = startChild(script, [dataDirectory, 'finish']);
  await first.printed('started');
  const refused = startChild('runner/main.ts', ['run', '--data', dataDirectory]);
  expect(await refused.ended).toBe(1);
  expect(refused.output()).toBe(
    `Another runner (process ${first.pid}) uses ${dataDirectory}: stop that one first.\n`,
  );
  await first.kill('SIGKILL');
  const second = startChild(script, [dataDirectory, 'finish']);
  await second.printed('started');
  expect(await second.kill('SIGTERM')).toBe(0);
});
