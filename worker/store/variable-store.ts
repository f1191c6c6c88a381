/** Environment variables, sealed. */
import { and, eq, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { services } from './schema/services.ts';
import { variables } from './schema/variables.ts';

export type VariableRow = typeof variables.$inferSelect;

/** Those of one service, in the order of creation. */
export function selectServiceVariables(db: Database, serviceId: string) {
  return db.select().from(variables).where(eq(variables.serviceId, serviceId)).orderBy(sql`variables.rowid`);
}

/** Those of all services of a project: what references may lead to. */
export function selectProjectVariables(db: Database, projectId: string) {
  return db
    .select({
      id: variables.id,
      serviceId: variables.serviceId,
      key: variables.key,
      sealedValue: variables.sealedValue,
      createdAt: variables.createdAt,
      updatedAt: variables.updatedAt,
    })
    .from(variables)
    .innerJoin(services, eq(services.id, variables.serviceId))
    .where(eq(services.projectId, projectId))
    .orderBy(sql`variables.rowid`);
}

/** Inserts any number with one statement (D1 takes 100 parameters). Keys that exist stay as they are. */
export function insertVariables(db: Database, rows: readonly VariableRow[]) {
  return db.run(sql`
    insert into ${variables} (id, service_id, key, sealed_value, created_at, updated_at)
    select value ->> 'id', value ->> 'serviceId', value ->> 'key', value ->> 'sealedValue',
      value ->> 'createdAt', value ->> 'updatedAt'
    from json_each(${JSON.stringify(rows)}) where true
    on conflict (service_id, key) do nothing`);
}

/** Replaces the value; the ciphertext is bound to the row's id, so the row must still be there under it. */
export function replaceValue(db: Database, variableId: string, sealedValue: string, now: number) {
  return db
    .update(variables)
    .set({ sealedValue, updatedAt: now })
    .where(eq(variables.id, variableId))
    .returning({ id: variables.id });
}

export function deleteVariable(db: Database, variable: Pick<VariableRow, 'id' | 'serviceId'>) {
  return db
    .delete(variables)
    .where(and(eq(variables.id, variable.id), eq(variables.serviceId, variable.serviceId)));
}
