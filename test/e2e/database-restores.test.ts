/** Everything lost and restored, with the engines that every `npm test` has; the others are in test/soak. */
import { databaseRestores } from '../support/instance/database-restores.ts';
import { restoreCases } from '../support/instance/restore-cases.ts';

const { postgres, redis } = restoreCases;
databaseRestores([postgres, redis]);
