import { type SQL, sql } from 'drizzle-orm';

/**
 * The cause of an event, for the order of deliveries: an alert, a host, or one side of a service, such as its deployments. A receiver gets
 * the events of a cause one after another, so that no repeated event arrives after the one that reports its end.
 */
export const eventCause: SQL = sql`substr(events.type, 1, instr(events.type, '.'))
  || iif(events.type like 'alert.%' or events.service_id = '', events.resource_id, events.service_id)`;
