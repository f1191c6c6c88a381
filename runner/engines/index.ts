/** Every engine that this runner can run. */
import type { EngineName } from '../../protocol/database.ts';
import { clickhouse } from './clickhouse.ts';
import type { BrowsableEngine } from './engine.ts';
import { mongodb } from './mongodb.ts';
import { mysql } from './mysql.ts';
import { postgres, timescale } from './postgres.ts';
import { redis } from './redis.ts';

export const engines: Readonly<Record<EngineName, BrowsableEngine>> = {
  postgres,
  timescale,
  mysql,
  redis,
  mongodb,
  clickhouse,
};
