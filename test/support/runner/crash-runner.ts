/**
 * A runner process for tests that kill it: `node crash-runner.ts <data directory> <mode>`.
 * Its job has two phases, a checkpoint and three log lines. Then the mode decides: `hang`, `finish`, or `throw-...` for the
 * job `job_1`.
 */

import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { createLogger } from '../../../runner/base/logger.ts';
import { startDaemon } from '../../../runner/daemon.ts';
import type { JobContext, JobRegistry } from '../../../runner/jobs/job.ts';
import { catchErrors } from '../../../runner/uncaught-errors.ts';
import { noContainerLogs } from './no-container-logs.ts';
import { noDataJobs } from './no-data-jobs.ts';
import { noDomains } from './no-domains.ts';

const [, , dataDirectory = '', mode = ''] = process.argv;

const jobs: JobRegistry = {
  ...noDataJobs,
  deploy: {
    async run(_, __, context) {
      context.enter('clone', {});
      context.enter('build', { commitSha: 'c0ffee' });
      context.checkpoint({ container: 'one' });
      for (const line of ['one', 'two', 'three']) context.log.line('stdout', line);
      if (mode.startsWith('throw')) await throwIn(mode, context);
      if (mode === 'hang') await new Promise(() => setInterval(() => {}, 1_000));
      return { outcome: 'succeeded', facts: {} };
    },
    async recover(_, checkpoint, context) {
      context.log.line('system', `recovered ${JSON.stringify(checkpoint)}`);
      return { outcome: 'failed', facts: {}, code: 'runner_restarted', message: 'again' };
    },
  },
};

/** The first job throws from a stream's handler, or leaves code behind that throws later; the others end a while later. */
async function throwIn(how: string, { jobId, signal }: JobContext): Promise<void> {
  if (jobId !== 'job_1') return await pause(1_500, undefined);
  if (how === 'throw-outside') return void outside.emit('now');
  const stream = new PassThrough();
  if (how === 'throw-error') stream.destroy(new Error('the connection of job_1 broke'));
  else if (how === 'throw-late') void pause(50).then(() => Promise.reject(new Error('a promise of job_1')));
  else {
    stream.on('data', () => {
      throw new Error('a handler of job_1');
    });
    stream.write('one');
  }
  await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
}

const logger = createLogger();
const errors = catchErrors(logger);
/** Created before any job, so its errors belong to no job. */
const outside = new EventEmitter();
setInterval(() => {
  if (!isAsked) return;
  isAsked = false;
  throw new Error('nobody knows whose');
}, 50);
let isAsked = false;
outside.once('now', () => (isAsked = true));

const daemon = await startDaemon({
  dataDirectory,
  logger,
  stopped: (error) => process.exit(error.exitCode),
  createHostWork: async ({ chores }) => {
    if (mode === 'chore') chores.add('sweep', 'dust');
    return {
      jobs,
      chores: {
        sweep: async (payload) => {
          if (mode === 'chore') await new Promise(() => {});
          process.stdout.write(`swept ${payload}\n`);
        },
      },
      runTask: async () => ({ ok: true, detail: '' }),
      observe: async () => [],
      watch: async () => {},
      containerLogs: noContainerLogs,
      domains: noDomains,
      onAlerts: () => {},
      setAlertRules: () => {},
      setDrains: async () => {},
      answer: async () => ({ ok: true, detail: '' }),
      dockerFacts: async () => null,
      state: () => ({
        firewall: { firewall: 'missing', firewallProblem: 'Not set by a test.' },
        foreignPorts: [],
        lastUpgrade: null,
        trouble: null,
      }),
      reconcile: async () => {},
      keepRunning: async () => {},
      stop: async () => {},
    };
  },
});
errors.running(daemon);
process.once('SIGTERM', () => void daemon.stop().then(() => process.exit(0)));
process.stdout.write('started\n');
