/** Two databases of one engine in a running instance: one is imported into the other. */
import { setTimeout as pause } from 'node:timers/promises';
import Docker from 'dockerode';
import { expect } from 'vitest';
import type { EngineName } from '../../../protocol/database.ts';
import type { Json } from './longshore.ts';
import type { Instance } from './use-instance.ts';

const docker = new Docker();
const endsWithinMs = 120_000;

export interface DatabasePair {
  source: Json;
  target: Json;
  /** Calls a route of a database. */
  call(of: Json, method: string, path: string, body?: unknown): Promise<Json>;
  /** The rows of a statement. @param more other fields, such as the logical database of Redis */
  query(of: Json, sql: string, more?: Json): Promise<Json[]>;
  /** The imports into the target. */
  imports(): Promise<Json[]>;
  /** Waits until an element of the list has ended. The list is read four times a second, because the calls of a key are limited. */
  ended(list: () => Promise<Json[]>, id: string): Promise<Json>;
}

export async function databasePair(longshore: Instance, engine: EngineName): Promise<DatabasePair> {
  const project = await longshore.newProject(engine);
  const source = await longshore.newDatabase(engine, { name: 'old' }, project);
  const target = await longshore.newDatabase(engine, { name: 'new' }, project);
  const call: DatabasePair['call'] = (of, method, path, asked) =>
    longshore.call(method, `/api/services/${of.id}/database${path}`, asked);
  return {
    ...{ source, target, call },
    async query(of, sql, more = {}) {
      const answer = await call(of, 'POST', '/query', { sql, ...more });
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      return answer.body.rows;
    },
    imports: async () => (await call(target, 'GET', '/imports')).body.imports,
    async ended(list, id) {
      for (const giveUpAt = performance.now() + endsWithinMs; ; await pause(250)) {
        const one = (await list()).find((each) => each.id === id);
        if (one && one.status !== 'running') return one;
        if (performance.now() > giveUpAt) throw new Error(`${id} does not end: ${JSON.stringify(one)}`);
      }
    },
  };
}

/** Address and environment of a database, for its own driver. */
export async function containerOf({ id }: Json): Promise<{ host: string; env: Record<string, string> }> {
  const { NetworkSettings, Config } = await docker.getContainer(`longshore-${id}-stable`).inspect();
  return {
    host: Object.values(NetworkSettings.Networks)[0]?.IPAddress ?? '',
    env: Object.fromEntries(Config.Env.map((one) => [one.replace(/=.*/s, ''), one.replace(/^[^=]*=/, '')])),
  };
}
