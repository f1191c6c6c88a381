/** Browse, query and edit, with the engines whose images take minutes to make. */
import { browsingCases } from '../e2e/support/browsing-cases.ts';
import { databaseBrowsing } from '../e2e/support/database-browsing.ts';

const { timescale, mysql, mongodb, clickhouse } = browsingCases;
databaseBrowsing([timescale, mysql, mongodb, clickhouse]);
