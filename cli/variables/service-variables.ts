/** Variables of a service, compared with those of a file. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Service, Variable } from '../../client/client.ts';
import { Failure, usageFailure } from '../base/failure.ts';
import type { Session } from '../session.ts';
import { type compare, readEnvFile, type Values } from './env-file.ts';

export const readVariables = async ({ client }: Session, { id }: Service): Promise<Variable[]> =>
  (await client.all('GET /api/services/:serviceId/env', { params: { serviceId: id } })).env;

/** The values as they were set. @throws Failure when the key may not see one of them */
export async function readable(session: Session, service: Service): Promise<Values> {
  const all = await readVariables(session, service);
  const hidden = all.filter(({ hasValue, value }) => hasValue && value === '').map(({ key }) => key);
  if (hidden.length === 0) return Object.fromEntries(all.map(({ key, value }) => [key, value]));
  throw new Failure(`This key may not read ${hidden.join(', ')}: use a key that may write.`);
}

/** @throws Failure (usage) when the file cannot be read */
export async function fileValues(session: Session, file: string): Promise<Values> {
  const text = await readFile(resolve(session.directory, file), 'utf8').catch((error: Error) => {
    throw usageFailure(`${file} cannot be read: ${error.message}`);
  });
  return readEnvFile(text, file);
}

/** The values with these names. */
export const pick = (values: Values, names: readonly string[]): Values =>
  Object.fromEntries(names.map((name) => [name, values[name] ?? '']));

/** One line per name: + only in the file, - only in the service, ~ in both with different values. */
export const differenceLines = ({ added, changed, missing }: ReturnType<typeof compare>) => [
  ...added.map((name) => `+ ${name}`),
  ...changed.map((name) => `~ ${name}`),
  ...missing.map((name) => `- ${name}`),
];

/** Sets all or none of them. Nothing to set is no error. */
export async function setVariables(
  { client, output }: Session,
  service: Service,
  values: Values,
  secret: boolean,
) {
  const env = Object.entries(values).map(([key, value]) => ({ key, value, ...(secret ? { secret } : {}) }));
  if (env.length === 0) return { ok: true, env: [] };
  const reply = await client.call('POST /api/services/:serviceId/env/bulk', {
    params: { serviceId: service.id },
    body: { env },
  });
  for (const warning of reply.warnings ?? []) output.progress(warning);
  return reply;
}

/** Removes the variables with these names, as far as they exist. */
export async function removeVariables(session: Session, service: Service, names: readonly string[]) {
  const ids = new Map((await readVariables(session, service)).map(({ key, id }) => [key, id]));
  for (const name of new Set(names)) {
    const params = { serviceId: service.id, envId: ids.get(name) ?? '' };
    if (ids.has(name)) await session.client.call('DELETE /api/services/:serviceId/env/:envId', { params });
  }
}
