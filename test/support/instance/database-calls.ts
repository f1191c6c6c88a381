/** API calls for one database of an instance and its backups. */
import { expect } from 'vitest';
import * as shapes from './interface-shapes.ts';
import type { Json, Longshore } from './longshore.ts';

const endsWithinMs = 120_000;

/** @param service returns the database at each call */
export function databaseCalls(longshore: Pick<Longshore, 'call'>, service: () => Json) {
  const at = (path: string) => `/api/services/${service().id}/database${path}`;
  const call: Longshore['call'] = (method, path, body, token) =>
    longshore.call(method, at(path), body, token);
  /** Calls the API; the call must succeed. @returns the body */
  async function ask(method: string, path: string, body?: unknown): Promise<Json> {
    const reply = await call(method, path, body);
    expect(reply.status, `${method} ${path}: ${JSON.stringify(reply.body)}`).toBe(200);
    return reply.body;
  }
  /** A backup in the form of the list. */
  const listed = async (id: string): Promise<Json> =>
    (await ask('GET', '/backups')).backups.find((one: Json) => one.id === id);
  /** Waits until the backup has ended. */
  async function ended(id: string, withinMs = endsWithinMs): Promise<Json> {
    await expect.poll(async () => (await listed(id)).status, { timeout: withinMs }).not.toBe('running');
    return await listed(id);
  }
  return {
    ...{ at, call, ask, listed, ended },
    /** Status and code of a refused call. */
    async refusal(method: string, path: string, body?: unknown): Promise<[number, string]> {
      const reply = await call(method, path, body);
      return [reply.status, shapes.errorBody.parse(reply.body).code];
    },
    query: (sql: string) => ask('POST', '/query', { sql }),
    /** Takes a backup and waits for its end. */
    async backUp(storage = 'disk', withinMs = endsWithinMs): Promise<Json> {
      return await ended((await ask('POST', '/backups', { storage })).backup.id, withinMs);
    },
  };
}
