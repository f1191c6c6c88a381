/** Browse, query and edit, with the engines whose images take minutes to make. */
import { browsingCases } from '../support/instance/browsing-cases.ts';
import { databaseBrowsing } from '../support/instance/database-browsing.ts';

const { timescale, mysql, mongodb, clickhouse } = browsingCases;
databaseBrowsing([timescale, mysql, mongodb, clickhouse]);
