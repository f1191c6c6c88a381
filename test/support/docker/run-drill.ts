/**
 * A process that runs one drill and dies at the crash point in CRASH_AT: `node run-drill.ts`, with the drill as JSON on standard input.
 * It prints `ended` if it was not killed.
 */
import { text } from 'node:stream/consumers';
import type { DrillSpec } from '../../../protocol/job-spec.ts';
import { connectDocker } from '../../../runner/docker/client.ts';
import { readDiskSpace } from '../../../runner/docker/disk-space.ts';
import { readFreeMemory } from '../../../runner/docker/memory.ts';
import { createDrillJob } from '../../../runner/jobs/data/drill.ts';
import { testContext } from '../runner/job-context.ts';

const given = JSON.parse(await text(process.stdin)) as {
  instance: string;
  dataDirectory: string;
  networkRange: string;
  spec: DrillSpec;
};
const { instance, dataDirectory, networkRange, spec } = given;
const job = createDrillJob({
  docker: connectDocker(instance),
  dataDirectory,
  networkRange,
  readDiskSpace,
  readFreeMemory,
  controlPlaneUrl: 'http://127.0.0.1:9', // nobody listens there
  removeOldDataLater: () => {},
});
await job.run(spec, { env: {}, gitToken: null }, testContext());
process.stdout.write('ended\n');
