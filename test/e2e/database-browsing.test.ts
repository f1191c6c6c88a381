/** Browse, query and edit, with the engines that every `npm test` has; the others are in test/soak. */
import { browsingCases } from '../support/instance/browsing-cases.ts';
import { databaseBrowsing } from '../support/instance/database-browsing.ts';

const { postgres, redis } = browsingCases;
databaseBrowsing([postgres, redis]);
