/**
 * Failpoints: named points at which this process kills itself with SIGKILL, to test the recovery after a crash.
 * The environment variable `CRASH_AT=<phase>:<step>` chooses one; without it nothing happens.
 *
 *   clone:begun    clone:done     the phase is journalled; the checkout is complete
 *   build:begun    build:done     the image has its tag
 *   pull:named                    Docker has the image, under the name of the pull's endpoint only
 *   start:begun
 *   start:created                 the new container is created but not started
 *   start:stopped                 databases, workers, services with volumes: the old container is stopped
 *   start:done                    the new container is started, or the static site is unpacked
 *   health:begun   health:done
 *   switch:begun                  before the runner asks for permission
 *   switch:permitted              permission is granted, traffic has not moved yet
 *   switch:moved                  traffic has moved, its checkpoint is not written
 *   switch:done                   the checkpoint is written
 *   finish:begun   finish:done    the old version is scheduled for removal; there is no result yet
 *   dump:searched                 PostgreSQL: extensions are created in a transaction that will be rolled back, beside the dump
 *   dump:written                  backups: every byte is in the part file
 *   dump:stopped                  upgrades: the old container is stopped
 *   dump:renamed                  the old container has lost the stable name
 *   dump:taken                    the last dump is verified
 *   dump:loaded                   the last dump is loaded into the new volume
 *   dump:kept                     the container for an undo is created
 *   dump:quiesced                 backups of volumes: the container is stopped, or its command has run
 *   verify:kept                   the file is verified and has its final name
 *   load:made                     PostgreSQL: the new databases and the missing roles exist, without data. Drills of volumes: the volume exists
 *   load:filled                   MySQL, MongoDB: data and accounts are in the new volume, not counted
 *   load:done                     restores: the data is loaded next to the live data
 *   switch:stopped                restores with a new volume: the old container is stopped
 *   switch:between                no container has the stable name
 *   switch:named                  the new container has the name but is not started
 *   switch:started                the new container is started and has not answered yet
 *   switch:served                 it has answered; the old one is not removed
 *   switch:aside                  restores of volumes: the old files are set aside, the new ones are not there yet
 *   switch:filled                 the new files are in the volume, the service has not started
 *   switch:closed                 PostgreSQL: the live databases accept no connections
 *   switch:renamed                the databases have their new names, not committed
 *   switch:committed              committed; the set-aside data is not tidied up
 *   report:journalled             the result is in the journal, not sent
 *   report:sent                   the result is sent, its acknowledgement has not arrived
 */
import type { JobPhase } from '../../protocol/job-report.ts';

export type CrashPoint =
  | `${JobPhase}:begun`
  | `${JobPhase}:done`
  | 'pull:named'
  | 'start:created'
  | 'start:stopped'
  | 'switch:permitted'
  | 'switch:moved'
  | 'switch:stopped'
  | 'switch:between'
  | 'switch:named'
  | 'switch:started'
  | 'switch:served'
  | 'switch:aside'
  | 'switch:filled'
  | 'switch:closed'
  | 'switch:renamed'
  | 'switch:committed'
  | 'load:made'
  | 'load:filled'
  | 'dump:searched'
  | 'dump:written'
  | 'dump:quiesced'
  | 'dump:stopped'
  | 'dump:renamed'
  | 'dump:taken'
  | 'dump:loaded'
  | 'dump:kept'
  | 'verify:kept'
  | 'report:journalled'
  | 'report:sent';

const crashAt = process.env.CRASH_AT;

export function crashPoint(point: CrashPoint): void {
  if (crashAt === point) process.kill(process.pid, 'SIGKILL');
}
