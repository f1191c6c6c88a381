/** Every engine that this runner can run. */
import type { EngineName } from '../../protocol/database.ts';
import { clickhouse } from './clickhouse.ts';
import type { Engine } from './engine.ts';
import { mongodb } from './mongodb.ts';
import { mysql } from './mysql.ts';
import { postgres, timescale } from './postgres.ts';
import { redis } from './redis.ts';

export const engines: Readonly<Partial<Record<EngineName, Engine>>> = {
  postgres,
  timescale,
  mysql,
  redis,
  mongodb,
  clickhouse,
};
