/** Errors that nobody catches, in a real runner process: they end the job they belong to, and no other (decision 0074). */
import { expect, onTestFinished, test } from 'vitest';
import { startChild } from '../support/runner/child.ts';
import { enrolled } from '../support/runner/enrolled.ts';
import { acknowledgeLogs } from '../support/runner/stage.ts';
import { temporaryDirectory } from '../support/runner/temporary-directory.ts';
import { startTestHub, type TestHub } from '../support/runner/test-hub.ts';

const script = 'test/support/runner/crash-runner.ts';

async function twoJobs(mode: string) {
  const dataDirectory = temporaryDirectory();
  const hub = await startTestHub();
  onTestFinished(() => hub.close());
  hub.onFrame = (frame) => {
    if (frame.type === 'logs') acknowledgeLogs(hub, frame);
    if (frame.type === 'report') hub.send({ type: 'report-ack', id: frame.id });
  };
  const { start } = enrolled(dataDirectory, hub);
  const child = startChild(script, [dataDirectory, mode]);
  await hub.welcomed(1);
  const { spec } = start('job_2');
  hub.send({ ...start('job_2'), spec: { ...spec, serviceId: `svc_${'b'.repeat(16)}` } } as never);
  hub.send(start('job_1'));
  return { hub, child, dataDirectory, start };
}

const resultOf = (hub: TestHub, job: string) =>
  hub.received('report', (report) => report.job === job && report.event.type === 'result');
const internal = {
  event: {
    result: {
      outcome: 'failed',
      code: 'internal',
      message: expect.stringMatching(/^The runner had an internal error; its log/),
    },
  },
};

test.each([
  ['a listener of a stream throws', 'throw-handler'],
  ['a stream breaks without a listener', 'throw-error'],
  ['a promise is rejected and nobody waits for it', 'throw-late'],
])(
  'a job in which %s fails with a sentence, and the others of the host end well',
  {
    tags: 'slow',
  },
  async (_, mode) => {
    const { hub, child } = await twoJobs(mode);
    expect(await resultOf(hub, 'job_1')).toMatchObject(internal);
    expect(await resultOf(hub, 'job_2')).toMatchObject({ event: { result: { outcome: 'succeeded' } } });
    expect(hub.all('hello')).toHaveLength(1);
    expect(child.output()).toContain('job_1 failed unexpectedly');
  },
);

test('a service can be deployed again after a job of it has failed so', { tags: 'slow' }, async () => {
  const { hub, start } = await twoJobs('throw-handler');
  await resultOf(hub, 'job_1');
  hub.send(start('job_3'));
  expect(await resultOf(hub, 'job_3')).toMatchObject({ event: { result: { outcome: 'succeeded' } } });
});

test('after an error of no job the running jobs end, none begins, and the process ends with an error', {
  tags: 'slow',
}, async () => {
  const { hub, child, dataDirectory, start } = await twoJobs('throw-outside');
  await child.printed('belongs to no job');
  hub.send(start('job_4'));
  expect(await child.ended).toBe(1);
  expect(hub.all('report').map(({ job }) => job)).not.toContain('job_4');
  startChild(script, [dataDirectory, 'finish']); // what systemd does
  expect(await resultOf(hub, 'job_2')).toMatchObject({ event: { result: { outcome: 'succeeded' } } });
});
