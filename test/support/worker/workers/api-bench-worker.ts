/**
 * For `npm run bench -- api`. `/api/projects` is the baseline: a bare Hono route that runs the statements of the real route in one
 * D1 batch and returns the rows unchanged. `/checks/<name>?times=N` runs one check of a request N times, so that it can be timed.
 */
import { eq } from 'drizzle-orm';
import { Hono } from 'hono';
import { createDependencies } from '../../../../worker/context.ts';
import { defaultSettings } from '../../../../worker/domain/instance/settings.ts';
import type { Env } from '../../../../worker/env.ts';
import { clientAddress } from '../../../../worker/http/client-address.ts';
import { isolateLimits } from '../../../../worker/http/isolate-memory.ts';
import { CallLimit } from '../../../../worker/http/limits/call-limit.ts';
import { SignInLimit } from '../../../../worker/http/limits/sign-in-limit.ts';
import { isValidToken, readToken } from '../../../../worker/security/api-token.ts';
import { projects } from '../../../../worker/store/schema/projects.ts';
import { services } from '../../../../worker/store/schema/services.ts';
import { columnsAs } from '../../../../worker/store/sql/columns-as.ts';
import type { Database } from '../../../../worker/store/sql/database.ts';
import { keptStatement, type Later } from '../../../../worker/store/sql/kept-statement.ts';
import { selectKeyByTokenId, selectScopedService } from '../../../../worker/store/sql/scoped-store.ts';
import { answerOnce } from '../../../../worker/usecases/instance/answer-once.ts';
import { projectListStatements } from '../../../../worker/usecases/projects/read-projects.ts';
import { recordAuditEntry } from '../../../../worker/usecases/record-audit-entry.ts';

export { LogStream } from '../../../../worker/objects/log-stream.ts';
export { RunnerHub } from '../../../../worker/objects/runner-hub.ts';
export { RuntimeLog } from '../../../../worker/objects/runtime-log.ts';
export { Shell } from '../../../../worker/objects/shell.ts';
export { Transfer } from '../../../../worker/objects/transfer.ts';

const app = new Hono<{ Bindings: Env }>();
let texts: { sql: string; params: unknown[] }[] | undefined;

app.get('/api/projects', async (c) => {
  texts ??= textsOf(createDependencies(c.env).db, tokenIdOf(c.req.raw));
  const statements = texts.map(({ sql, params }) => c.env.DB.prepare(sql).bind(...params));
  const [, projects, services, hosts] = await c.env.DB.batch(statements);
  return c.json({ projects: projects?.results, services: services?.results, hosts: hosts?.results });
});

app.get('/checks/:name', async (c) => {
  const check = checks[c.req.param('name')];
  if (!check) return c.notFound();
  const one = check(c.req.raw, c.env);
  for (let left = Number(c.req.query('times')); left > 0; left--) await one();
  return c.json({ ok: true });
});

/** The part of a statement that drizzle's batch uses for its text. */
interface BatchItem {
  _prepare(): { getQuery(): { sql: string; params: unknown[] } };
}

type Check = (request: Request, env: Env) => () => unknown;

/** Each check of a request, and nothing else. `none`: only the loop. */
const checks: Record<string, Check> = {
  none: () => () => undefined,
  key: (request) => {
    const token = tokenOf(request);
    return async () => {
      const presented = readToken(token);
      if (!presented || (await isValidToken(presented, '0'.repeat(64))))
        throw new Error('a wrong token was accepted');
    };
  },
  /** Reads a service with its project like a loader, in one batch with the key; `unscoped` does not join to the key. */
  scoped: (request, env) => {
    const [{ db }, tokenId, id] = [createDependencies(env), tokenIdOf(request), serviceIdOf(request)];
    return () => db.batch([selectKeyByTokenId(db, tokenId), selectScopedService(db, tokenId, id)]);
  },
  unscoped: (request, env) => {
    const [{ db }, tokenId, id] = [createDependencies(env), tokenIdOf(request), serviceIdOf(request)];
    return () => db.batch([selectKeyByTokenId(db, tokenId), selectService(db, id)]);
  },
  limits: (request) => {
    const [calls, signIns] = [new CallLimit(), new SignInLimit(isolateLimits.signInGatherMs)];
    const limits = { ...defaultSettings, readsPerMinute: 1_000_000_000 };
    return () => {
      const now = Date.now();
      signIns.assertMayLookUp('token', { address: clientAddress(request.headers), limit: 60, now });
      signIns.trust('token', now);
      calls.count('key', 'read', limits, now);
    };
  },
  /** Includes the round trip of its write, which runs after the answer. */
  audit: (_, env) => {
    const deps = createDependencies(env);
    return () =>
      recordAuditEntry(deps, {
        tenantId: null,
        actor: 'bench',
        actedBy: null,
        route: 'PATCH /api/projects/:projectId',
        resourceId: 'prj_0000000000000000',
        status: 200,
        requestId: 'bench',
        address: '192.0.2.1',
      });
  },
  /** Includes its two round trips. */
  idempotency: (_, env) => {
    const deps = createDependencies(env);
    return () =>
      answerOnce(
        deps,
        { keyId: 'bench', idempotencyKey: crypto.randomUUID(), request: 'x', createdId: 'y' },
        async () => '{"project":{}}',
      );
  },
};

const selectService = keptStatement((db, serviceId: Later) =>
  db
    .select({ service: columnsAs(services, 'service'), project: columnsAs(projects, 'project') })
    .from(services)
    .innerJoin(projects, eq(projects.id, services.projectId))
    .where(eq(services.id, serviceId))
    .limit(1),
);

const serviceIdOf = ({ url }: Request) => new URL(url).searchParams.get('service') ?? '';
const tokenIdOf = (request: Request) => readToken(tokenOf(request))?.tokenId ?? '';
const tokenOf = (request: Request) => (request.headers.get('authorization') ?? '').slice('Bearer '.length);

function textsOf(db: Database, tokenId: string) {
  const statements = [
    selectKeyByTokenId(db, tokenId),
    ...Object.values(projectListStatements(db, tokenId, { limit: 1_000 })),
  ];
  return statements.map((statement) => (statement as unknown as BatchItem)._prepare().getQuery());
}

// biome-ignore lint/style/noDefaultExport: the entry of a Worker
export default app;
