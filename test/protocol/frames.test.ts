import { expect, test } from 'vitest';
import { helloSigningText } from '../../protocol/enrolment.ts';
import {
  parseHubFrame,
  parseRunnerFrame,
  protocolVersion,
  runnerFrameCharsMax,
} from '../../protocol/frames.ts';
import { failureMessageMax } from '../../protocol/job-report.ts';

const logs = { v: protocolVersion, type: 'logs', job: 'job_1', epoch: 1, first: 1, last: false, lines: [] };

test('a frame of the previous version is read', () => {
  expect(parseRunnerFrame(JSON.stringify({ ...logs, v: protocolVersion - 1 }))).toMatchObject({ ok: true });
});

test('a frame of a later or much older version is refused with a reason', () => {
  for (const v of [protocolVersion + 1, protocolVersion - 2]) {
    expect(parseRunnerFrame(JSON.stringify({ ...logs, v }))).toMatchObject({ ok: false });
  }
});

test('a frame keeps its meaning when fields it does not know are added', () => {
  expect(parseRunnerFrame(JSON.stringify({ ...logs, later: 1 }))).toEqual({ ok: true, frame: logs });
});

test.each(['', '{', 'null', '[]', '{"type":"logs"}', '{"v":1,"type":"unheard-of"}'])(
  'a frame that is %j is refused, never thrown',
  (text) => {
    expect(parseRunnerFrame(text).ok).toBe(false);
    expect(parseHubFrame(text).ok).toBe(false);
  },
);

test('the message of a failure is cut, and its report is not refused: it would be sent again and again', () => {
  const result = { outcome: 'failed', facts: {}, code: 'import_failed', message: 'x'.repeat(3_000_000) };
  const report = {
    v: protocolVersion,
    type: 'report',
    job: 'job_1',
    epoch: 1,
    id: 'r',
    event: { type: 'result', result },
  };
  expect(parseRunnerFrame(JSON.stringify(report))).toMatchObject({
    frame: { event: { result: { message: 'x'.repeat(failureMessageMax) } } },
  });
});

test('a frame travels one way only', () => {
  expect(parseHubFrame(JSON.stringify(logs)).ok).toBe(false);
});

test('a hello signature covers every field that identifies the conversation', () => {
  const hello = { runnerId: 'run_a', bootId: 'b', nonce: 'n', audience: 'https://one.example' };
  const texts = [
    hello,
    { ...hello, runnerId: 'run_b' },
    { ...hello, bootId: 'c' },
    { ...hello, nonce: 'm' },
    { ...hello, audience: 'x' },
  ];
  expect(new Set(texts.map(helloSigningText)).size).toBe(texts.length);
});

test('a frame of a hostile host is not parsed beyond 8 MiB, and a frame with many faults is described in a few words', () => {
  const big = JSON.stringify({ ...logs, later: 'x'.repeat(runnerFrameCharsMax) });
  expect(parseRunnerFrame(big)).toEqual({
    ok: false,
    reason: `${big.length} characters, at most ${runnerFrameCharsMax} are read`,
  });
  const faulty = parseRunnerFrame(
    JSON.stringify({ ...logs, lines: Array.from({ length: 5_000 }, () => ({})) }),
  );
  expect(faulty).toMatchObject({ ok: false, reason: expect.stringMatching(/^.{1,500}$/s) });
});
