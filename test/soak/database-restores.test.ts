/** Everything lost and restored, with the engines whose images take minutes to make. */
import { databaseRestores } from '../support/instance/database-restores.ts';
import { restoreCases } from '../support/instance/restore-cases.ts';

const { timescale, mysql, mongodb, clickhouse } = restoreCases;
databaseRestores([timescale, mysql, mongodb, clickhouse]);
