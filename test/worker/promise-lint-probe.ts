/**
 * Nothing runs this file. Each line is a mistake that the linter must find by its types: D1, Durable Objects and drizzle have theirs
 * from tsconfig.worker.json. If it stops finding one, the comment above the line is unused, and that is an error.
 */
import { drizzle } from 'drizzle-orm/d1';
import type { Env } from '../../worker/env.ts';
import { projects } from '../../worker/store/schema/projects.ts';

export function forgetsToAwait(env: Env, state: DurableObjectState): void {
  // oxlint-disable-next-line typescript/no-floating-promises
  state.storage.put('key', 1);
  // oxlint-disable-next-line typescript/no-floating-promises
  env.DB.prepare('select 1').run();
  // oxlint-disable-next-line typescript/no-floating-promises
  drizzle(env.DB).select().from(projects);
}
