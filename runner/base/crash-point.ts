/**
 * Failpoints: named places where this process kills itself with SIGKILL, so that the recovery after a crash can be tried at each of them.
 * The environment variable `CRASH_AT=<phase>:<step>` chooses one; without it nothing happens.
 *
 *   clone:begun    clone:done     the phase is journalled; the checkout is there
 *   build:begun    build:done     the image has its tag
 *   start:begun
 *   start:created                 the new container was created, not started
 *   start:stopped                 databases: the old container was stopped
 *   start:done                    it was started, or the static site unpacked
 *   health:begun   health:done
 *   switch:begun                  before the permission is asked for
 *   switch:permitted              permission given, nothing moved yet
 *   switch:moved                  the traffic has moved, its checkpoint is not written
 *   switch:done                   the checkpoint is written
 *   finish:begun   finish:done    the old version was handed over to its retirement; no result yet
 *   dump:written                  backups: every byte is in the part file
 *   verify:kept                   the file is proven and has its name
 *   load:done                     restores: the data is loaded beside the live data
 *   switch:stopped                restores by a new volume: the old container was stopped
 *   switch:between                no container has the stable name
 *   switch:named                  the new one has it, and was not started
 *   report:journalled             the result is in the journal, not sent
 *   report:sent                   the result was sent, its acknowledgement has not come
 */
import type { JobPhase } from '../../protocol/job-report.ts';

export type CrashPoint =
  | `${JobPhase}:begun`
  | `${JobPhase}:done`
  | 'start:created'
  | 'start:stopped'
  | 'switch:permitted'
  | 'switch:moved'
  | 'switch:stopped'
  | 'switch:between'
  | 'switch:named'
  | 'dump:written'
  | 'verify:kept'
  | 'report:journalled'
  | 'report:sent';

const crashAt = process.env.CRASH_AT;

export function crashPoint(point: CrashPoint): void {
  if (crashAt === point) process.kill(process.pid, 'SIGKILL');
}
