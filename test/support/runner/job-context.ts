/** The context of a job for tests: it keeps the log, and the test decides about permission. */
import type { JobFacts, JobPhase } from '../../../protocol/job-report.ts';
import { type JobContext, JobStopped } from '../../../runner/jobs/job.ts';

export interface TestContext extends JobContext {
  readonly lines: { stream: string; text: string }[];
  /** The values that the job has asked to mask. */
  readonly hidden: string[];
  readonly phases: { phase: JobPhase; facts: JobFacts }[];
  readonly checkpoints: Record<string, unknown>;
  /** The log as one text. */
  text(): string;
  abort(): void;
  /** Resolves with the first line that matches, past or future. */
  printed(words: RegExp): Promise<string>;
}

export function testContext(
  options: { grant?: () => boolean | Promise<boolean>; epoch?: number } = {},
): TestContext {
  const controller = new AbortController();
  const lines: TestContext['lines'] = [];
  const phases: TestContext['phases'] = [];
  const checkpoints: Record<string, unknown> = {};
  const hidden: string[] = [];
  const waiting: { words: RegExp; resolve: (text: string) => void }[] = [];
  const line = (stream: string, text: string) => {
    lines.push({ stream, text });
    for (const one of waiting) if (one.words.test(text)) one.resolve(text);
  };
  return {
    jobId: 'job_test',
    epoch: options.epoch ?? 1,
    signal: controller.signal,
    log: {
      line,
      write: (stream, chunk) => line(stream, String(chunk)),
      hide: (secrets) => void hidden.push(...secrets),
    },
    enter: (phase, facts) => void phases.push({ phase, facts }),
    reportedFacts: () => phases.at(-1)?.facts ?? {},
    requestSwitch: async () => (await options.grant?.()) ?? true,
    checkpoint: (data) => void Object.assign(checkpoints, data),
    lines,
    hidden,
    phases,
    checkpoints,
    text: () => lines.map(({ text }) => text).join('\n'),
    abort: () => controller.abort(new JobStopped('aborted')),
    printed: (words) =>
      new Promise((resolve) => {
        const past = lines.find(({ text }) => words.test(text));
        if (past) resolve(past.text);
        else waiting.push({ words, resolve });
      }),
  };
}
