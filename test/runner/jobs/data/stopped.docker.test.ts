/** Full disks and aborts in every phase of backups and restores; the other engines are in test/soak. */
import { killedEngines } from '../../../support/instance/data-engines.ts';
import { stoppedDataJobs } from '../../../support/instance/stopped-data-jobs.ts';

stoppedDataJobs([killedEngines.postgres]);
