/** Every engine that this runner can run. A missing one is a compile error. */
import type { EngineName } from '../../protocol/database.ts';
import { clickhouse } from './clickhouse.ts';
import type { DatabaseEngine } from './database-engine.ts';
import { mongodb } from './mongodb.ts';
import { mysql } from './mysql.ts';
import { postgres, timescale } from './postgres.ts';
import { redis } from './redis.ts';

export const engines: Readonly<Record<EngineName, DatabaseEngine>> = {
  postgres,
  timescale,
  mysql,
  redis,
  mongodb,
  clickhouse,
};
