/** Browse, query and edit, with the engines that every `npm test` has; the others are in test/soak. */
import { browsingCases } from './support/browsing-cases.ts';
import { databaseBrowsing } from './support/database-browsing.ts';

const { postgres, redis } = browsingCases;
databaseBrowsing([postgres, redis]);
