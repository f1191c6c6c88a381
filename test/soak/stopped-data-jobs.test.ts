/** Full disks and aborts in every phase of backups and restores; PostgreSQL alone is in `npm test`. */
import { killedEngines } from '../support/instance/data-engines.ts';
import { stoppedDataJobs } from '../support/instance/stopped-data-jobs.ts';

const { timescale, mysql, redis, mongodb, clickhouse } = killedEngines;
stoppedDataJobs([timescale, mysql, redis, mongodb, clickhouse]);
