/**
 * A runner process for tests that kill it: `node crash-runner.ts <data directory> <mode>`.
 * Its job: two phases, a checkpoint, three log lines; then as the mode says: `hang`, `finish`.
 */

import { createLogger } from '../../../runner/base/logger.ts';
import { startDaemon } from '../../../runner/daemon.ts';
import type { JobRegistry } from '../../../runner/jobs/job.ts';
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
      if (mode === 'hang') await new Promise(() => setInterval(() => {}, 1_000));
      return { outcome: 'succeeded', facts: {} };
    },
    async recover(_, checkpoint, context) {
      context.log.line('system', `recovered ${JSON.stringify(checkpoint)}`);
      return { outcome: 'failed', facts: {}, code: 'runner_restarted', message: 'again' };
    },
  },
};

const daemon = await startDaemon({
  dataDirectory,
  logger: createLogger(),
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
        lastUpgrade: null,
      }),
      reconcile: async () => {},
      stop: async () => {},
    };
  },
});
process.once('SIGTERM', () => void daemon.stop().then(() => process.exit(0)));
process.stdout.write('started\n');
