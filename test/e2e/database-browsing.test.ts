/** INTERFACE 4.7, browse, query and edit, with the engines that every `npm test` has; the others are in test/soak. */
import { afterAll, beforeAll } from 'vitest';
import { browsingCases } from './support/browsing-cases.ts';
import { databaseBrowsing } from './support/database-browsing.ts';
import { type Longshore, startLongshore } from './support/longshore.ts';

let longshore: Longshore;

beforeAll(async () => {
  longshore = await startLongshore();
});
afterAll(() => longshore?.stop({ all: true }));

databaseBrowsing(() => longshore, [browsingCases.postgres, browsingCases.redis]);
