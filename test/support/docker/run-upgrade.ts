/**
 * A process that runs one upgrade or its undo and dies at the crash point in CRASH_AT: `node run-upgrade.ts`, with the job as JSON on standard input.
 * It prints each checkpoint as a line of JSON, and `ended` if it was not killed.
 */
import { text } from 'node:stream/consumers';
import type { UpgradeSpec } from '../../../protocol/job-spec.ts';
import { connectDocker } from '../../../runner/docker/client.ts';
import { readDiskSpace } from '../../../runner/docker/disk-space.ts';
import { readFreeMemory } from '../../../runner/docker/memory.ts';
import { createUpgradeJob } from '../../../runner/jobs/data/upgrade/upgrade.ts';
import { testContext } from '../runner/job-context.ts';

const { instance, dataDirectory, networkRange, spec } = JSON.parse(await text(process.stdin)) as {
  instance: string;
  dataDirectory: string;
  networkRange: string;
  spec: UpgradeSpec;
};
const job = createUpgradeJob({
  docker: connectDocker(instance),
  ...{ dataDirectory, networkRange, readDiskSpace, readFreeMemory },
  allowPrivateSources: true,
  controlPlaneUrl: 'http://127.0.0.1:9', // nobody listens there
  removeOldDataLater: () => {},
});
const checkpoint = (data: Record<string, unknown>) => void process.stdout.write(`${JSON.stringify(data)}\n`);
await job.run(spec, { env: {}, gitToken: null }, { ...testContext(), checkpoint });
process.stdout.write('ended\n');
