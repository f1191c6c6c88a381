import { describe } from 'vitest';
import { postgres } from '../../../runner/engines/postgres.ts';
import { engineContract } from './engine-contract.ts';
import { postgresFixture } from './postgres-fixture.ts';

const image = 'postgres:17';

describe('PostgreSQL keeps the contract of the engines:', () =>
  engineContract(postgresFixture(postgres, image)));
