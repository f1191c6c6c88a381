/** Environment variables, sealed. */
import { and, eq, type SQL, sql } from 'drizzle-orm';
import { services, variables } from '../schema/services.ts';
import type { Database } from '../sql/database.ts';

export type VariableRow = typeof variables.$inferSelect;

/** The variables of one service, in order of creation. */
export function selectServiceVariables(db: Database, serviceId: string) {
  return db.select().from(variables).where(eq(variables.serviceId, serviceId)).orderBy(sql`variables.rowid`);
}

/** The variables of all services of a project, which references may mention. */
export function selectProjectVariables(db: Database, projectId: string | SQL) {
  return db
    .select({
      id: variables.id,
      serviceId: variables.serviceId,
      key: variables.key,
      sealedValue: variables.sealedValue,
      secret: variables.secret,
      scope: variables.scope,
      createdAt: variables.createdAt,
      updatedAt: variables.updatedAt,
    })
    .from(variables)
    .innerJoin(services, eq(services.id, variables.serviceId))
    .where(eq(services.projectId, projectId))
    .orderBy(sql`variables.rowid`);
}

/** The keys of all variables of a project's services, without values. */
export function selectProjectVariableKeys(db: Database, projectId: string | SQL) {
  return db
    .select({ serviceId: variables.serviceId, key: variables.key })
    .from(variables)
    .innerJoin(services, eq(services.id, variables.serviceId))
    .where(eq(services.projectId, projectId));
}

/**
 * Inserts any number of variables with one statement (D1 allows 100 parameters). Existing keys do not change.
 * @param projectId the project whose key seals the values: nothing is inserted if the service has left it
 */
export function insertVariables(db: Database, projectId: string, rows: readonly VariableRow[]) {
  return db.run(sql`
    insert into ${variables} (id, service_id, key, sealed_value, secret, scope, created_at, updated_at)
    select value ->> 'id', value ->> 'serviceId', value ->> 'key', value ->> 'sealedValue',
      value ->> 'secret', value ->> 'scope', value ->> 'createdAt', value ->> 'updatedAt'
    from json_each(${JSON.stringify(rows)})
    join services on services.id = value ->> 'serviceId' and services.project_id = ${projectId} where true
    on conflict (service_id, key) do nothing`);
}

/**
 * Replaces a value. The ciphertext is bound to the row's id, so the row must still exist.
 * @param projectId as for `insertVariables`
 * @param changes.secret if absent, the earlier choice remains; the same for `scope`
 */
export function replaceValue(
  db: Database,
  projectId: string,
  variableId: string,
  changes: {
    sealedValue: string;
    secret: boolean | undefined;
    scope: VariableRow['scope'] | undefined;
    updatedAt: number;
  },
) {
  return db
    .update(variables)
    .set(changes)
    .where(
      and(
        eq(variables.id, variableId),
        sql`service_id in (select id from services where project_id = ${projectId})`,
      ),
    )
    .returning({ id: variables.id });
}

/** Replaces the ciphertexts of all variables of a service with one statement, for the same values under another key. */
export function replaceSealedValues(
  db: Database,
  serviceId: string,
  rows: readonly { id: string; sealed: string }[],
) {
  return db.run(sql`
    update ${variables} set sealed_value = (select value ->> 'sealed' from json_each(${JSON.stringify(rows)})
      where value ->> 'id' = variables.id)
    where service_id = ${serviceId}`);
}

export function deleteVariable(db: Database, variable: Pick<VariableRow, 'id' | 'serviceId'>) {
  return db
    .delete(variables)
    .where(and(eq(variables.id, variable.id), eq(variables.serviceId, variable.serviceId)));
}
