/** What `npm run bench -- api` compares with: a bare Hono route that runs the statements of `GET /api/projects` in one D1 batch. */
import { Hono } from 'hono';
import type { Env } from '../../../worker/env.ts';
import { openDatabase } from '../../../worker/store/database.ts';
import { selectProjects, selectVisibleServiceViews } from '../../../worker/store/project-store.ts';
import { selectKeyByTokenId } from '../../../worker/store/scoped-store.ts';

export { LogStream } from '../../../worker/objects/log-stream.ts';
export { RunnerHub } from '../../../worker/objects/runner-hub.ts';
export { Transfer } from '../../../worker/objects/transfer.ts';

const app = new Hono<{ Bindings: Env }>();
let texts: { sql: string; params: unknown[] }[] | undefined;

app.get('/api/projects', async (c) => {
  texts ??= statementsOf(c.env.DB);
  const statements = texts.map(({ sql, params }) => c.env.DB.prepare(sql).bind(...params));
  const [, projects, services] = await c.env.DB.batch(statements);
  return c.json({ projects: projects?.results, services: services?.results });
});

function statementsOf(binding: D1Database) {
  const db = openDatabase(binding);
  const scope = { keyId: '', tenantId: 'default', allProjects: true };
  const statements = [
    selectKeyByTokenId(db, 'key_of_the_bench'),
    selectProjects(db, scope),
    selectVisibleServiceViews(db, scope),
  ];
  return statements.map((statement) => statement.toSQL());
}

// biome-ignore lint/style/noDefaultExport: the entry of a Worker
export default app;
