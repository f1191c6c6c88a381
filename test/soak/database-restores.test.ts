/** Everything lost and restored, with the engines whose images take minutes to make. */
import { databaseRestores } from '../e2e/support/database-restores.ts';
import { restoreCases } from '../e2e/support/restore-cases.ts';

const { timescale, mysql, mongodb, clickhouse } = restoreCases;
databaseRestores([timescale, mysql, mongodb, clickhouse]);
