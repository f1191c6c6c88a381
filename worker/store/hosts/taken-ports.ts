import { type SQL, sql } from 'drizzle-orm';

/** Ports of a host that services have or have reserved for a move, that it reports as another program's, and those where one listens (`busy`). */
export function takenPorts(runnerId: string | SQL, busy: readonly number[] = []): SQL {
  return sql`select host_port as port from services where runner_id = ${runnerId}
    union all select next_host_port from services where next_runner_id = ${runnerId}
    union all select value from runners host, json_each(host.facts, '$.foreignPorts') where host.id = ${runnerId}
    union all select value from json_each(${JSON.stringify(busy)})`;
}
