/**
 * Connections to a server whose connections are all in use. PostgreSQL has separate places for replication (`max_wal_senders`, 10 by
 * default), which no pool of an app takes: a connection for replication of one database runs SQL, too. The places for superusers
 * (`superuser_reserved_connections`) do not help, since the service's own user is a superuser.
 * https://www.postgresql.org/docs/17/protocol-replication.html. Before version 12 these places counted as connections.
 */
import pg from 'pg';
import { arrayText } from './array-text.ts';
import { BoundedStartClient } from './bounded-answer.ts';

type Query = (text: unknown, values?: unknown[]) => Promise<pg.QueryResult>;

/** A connection for replication, whose protocol has no bound values, so they are written into the text. */
export class ReplicationClient extends BoundedStartClient {
  constructor(config: pg.ClientConfig = {}) {
    super({ ...config, replication: 'database' } as pg.ClientConfig);
    const query = this.query.bind(this) as Query;
    this.query = ((text: string, values?: unknown[]) =>
      values ? query(withValues(text, values)) : query(text)) as typeof this.query;
  }
}

/** Text for tools: a name of a database, or settings that use a place for replication. https://www.postgresql.org/docs/17/libpq-connect.html */
export const connectionText = (database: string, byReplication: boolean) =>
  `dbname='${database.replace(/[\\']/g, '\\$&')}'${byReplication ? ' replication=database' : ''}`;

/** @param text a statement with `$1` and so on, outside of quotes */
const withValues = (text: string, values: readonly unknown[]) =>
  text.replace(/\$(\d+)/g, (_, place: string) => literalOf(values[Number(place) - 1]));

function literalOf(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  return pg.escapeLiteral(Array.isArray(value) ? arrayText(value, String) : String(value));
}
