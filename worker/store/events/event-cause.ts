import { type SQL, sql } from 'drizzle-orm';

/**
 * What an event is about, for the order of deliveries: an alert, a host, or one side of a service, such as its deployments. A receiver gets
 * the events of a cause one after the other, so that none that is repeated arrives after the one that says that it is over.
 */
export const eventCause: SQL = sql`substr(events.type, 1, instr(events.type, '.'))
  || iif(events.type like 'alert.%' or events.service_id = '', events.resource_id, events.service_id)`;
