import type { JobRegistry } from '../../../runner/jobs/job.ts';

const none = async () => expectNone();

function expectNone(): never {
  throw new Error('this test has no jobs on data');
}

/** For runners whose only jobs are deployments. */
export const noDataJobs: Omit<JobRegistry, 'deploy'> = {
  backup: { run: none, recover: none },
  restore: { run: none, recover: none },
  'volume-backup': { run: none, recover: none },
  'volume-restore': { run: none, recover: none },
  'volume-drill': { run: none, recover: none },
  'volume-fill': { run: none, recover: none },
  import: { run: none, recover: none },
  drill: { run: none, recover: none },
  upgrade: { run: none, recover: none },
  run: { run: none, recover: none },
};
