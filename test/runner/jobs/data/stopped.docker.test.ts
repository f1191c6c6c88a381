/** Full disks and aborts in every phase of backups and restores; the other engines are in test/soak. */
import { killedEngines } from '../../../soak/support/data-engines.ts';
import { stoppedDataJobs } from '../../../soak/support/stopped-data-jobs.ts';

stoppedDataJobs([killedEngines.postgres]);
