import type { EngineAddress, EngineEnvironment, Usage } from '../engine.ts';
import { connected } from './connected.ts';
import { ReplicationClient } from './replication-slot.ts';

/** Who has the connections of the server, asked by a place for replication. @throws EngineError */
export const usage = (address: EngineAddress, env: EngineEnvironment): Promise<Usage> =>
  connected(
    address,
    env,
    async (client) => {
      const { rows } = await client.query<{ max: number; name: string; count: number }>(
        `SELECT current_setting('max_connections')::int AS max, usename AS name, count(*)::int AS count
          FROM pg_catalog.pg_stat_activity WHERE backend_type = 'client backend' AND usename IS NOT NULL
          GROUP BY usename ORDER BY 3 DESC, 2`,
      );
      return { max: rows[0]?.max ?? 0, users: rows.map(({ name, count }) => ({ name, count })) };
    },
    ReplicationClient,
  );
