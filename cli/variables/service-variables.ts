/** Variables of a service, compared with those of a file. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Service, Variable } from '../../client/client.ts';
import { Failure, usageFailure } from '../base/failure.ts';
import type { Session } from '../session.ts';
import { type compare, readEnvFile, type Values } from './env-file.ts';

export const readVariables = async ({ client }: Session, { id }: Service): Promise<Variable[]> =>
  (await client.all('GET /api/services/:serviceId/env', { params: { serviceId: id } })).env;

/** The values as they were set. @throws Failure if the key may not see one of them */
export async function readable(session: Session, service: Service): Promise<Values> {
  const all = await readVariables(session, service);
  const hidden = all.filter(({ hasValue, value }) => hasValue && value === '').map(({ key }) => key);
  if (hidden.length === 0) return Object.fromEntries(all.map(({ key, value }) => [key, value]));
  throw new Failure(`This key may not read ${hidden.join(', ')}: use a key that may write.`);
}

/** @throws Failure (usage) if the file cannot be read */
export async function fileValues(session: Session, file: string): Promise<Values> {
  const text = await readFile(resolve(session.directory, file), 'utf8').catch((error: Error) => {
    throw usageFailure(`${file} cannot be read: ${error.message}`);
  });
  return readEnvFile(text, file);
}

/** The values of these names. */
export const pick = (values: Values, names: readonly string[]): Values =>
  Object.fromEntries(names.map((name) => [name, values[name] ?? '']));

/** One line per name: + only in the file, - only in the service, ~ in both with different values. */
export const differenceLines = ({ added, changed, missing }: ReturnType<typeof compare>) => [
  ...added.map((name) => `+ ${name}`),
  ...changed.map((name) => `~ ${name}`),
  ...missing.map((name) => `- ${name}`),
];

/** Options that one request sets for all its variables. */
export interface VariableChoices {
  secret?: boolean;
  /** Absent: an earlier scope remains. */
  scope?: Variable['scope'];
}

/** Sets all of the variables or none. An empty list is not an error. */
export async function setVariables(
  { client, output }: Session,
  service: Service,
  values: Values,
  { secret = false, scope }: VariableChoices = {},
) {
  const chosen = { ...(secret ? { secret } : {}), ...(scope === undefined ? {} : { scope }) };
  const env = Object.entries(values).map(([key, value]) => ({ key, value, ...chosen }));
  if (env.length === 0) return { ok: true, env: [] };
  const reply = await client.call('POST /api/services/:serviceId/env/bulk', {
    params: { serviceId: service.id },
    body: { env },
  });
  for (const warning of reply.warnings ?? []) output.progress(warning);
  return reply;
}

/** Removes the variables with these names, if they exist. @returns the removed ones */
export async function removeVariables(
  session: Session,
  service: Service,
  names: readonly string[],
): Promise<Variable[]> {
  const removed = (await readVariables(session, service)).filter(({ key }) => names.includes(key));
  for (const { id } of removed) {
    const params = { serviceId: service.id, envId: id };
    await session.client.call('DELETE /api/services/:serviceId/env/:envId', { params });
  }
  return removed;
}
