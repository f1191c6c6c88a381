/** A client of the app under test: it creates keys by the store's rules, and checks every answer against its route's schema. */
import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { newId } from '../../../protocol/ids.ts';
import { createApp } from '../../../worker/app.ts';
import { createDependencies } from '../../../worker/context.ts';
import { isolateMemory } from '../../../worker/http/isolate-memory.ts';
import type { MountOptions } from '../../../worker/http/mount.ts';
import type { AnyRoute } from '../../../worker/http/route.ts';
import { issueToken } from '../../../worker/security/api-token.ts';
import { apiKeyProjects, apiKeys } from '../../../worker/store/schema/api-keys.ts';
import { projects } from '../../../worker/store/schema/projects.ts';
import { runners } from '../../../worker/store/schema/runners.ts';
import { services } from '../../../worker/store/schema/services.ts';
import { tenants } from '../../../worker/store/schema/tenants.ts';
import { testFacts } from '../test-facts.ts';

export { testFacts };

// biome-ignore lint/suspicious/noExplicitAny: answers of an API under test; each test asserts what it reads
export type Json = any;

export const deps = createDependencies(env);
export const operatorToken = env.OPERATOR_TOKEN;

export interface Reply {
  status: number;
  headers: Headers;
  body: Json;
  text: string;
}

export type Client = (method: string, path: string, options?: CallOptions) => Promise<Reply>;

export interface CallOptions {
  /** A key, or a session in the form of `insertMember`. */
  token?: string | undefined;
  body?: unknown;
  /** Sent unchanged instead of `body`. */
  raw?: BodyInit;
  /** Disconnects as soon as it is admitted: for streams that don't end by themselves. */
  leaves?: boolean;
  headers?: Record<string, string>;
}

let addresses = 0;
/** The header of a client whose address no request had before: failed sign-ins and starts of sign-ins are limited by address. */
export const fromNewAddress = (): { 'cf-connecting-ip': string } => {
  addresses += 1;
  return { 'cf-connecting-ip': `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}` };
};

/** @param mounted routes other than the app's own. */
export function createClient(options: Partial<MountOptions> = {}, mounted?: readonly AnyRoute[]): Client {
  // Failed sign-ins are written at once, so that a test can check them after its answers.
  const app = createApp(
    { checkReplies: true, memory: isolateMemory({ signInGatherMs: 0 }), ...options },
    mounted,
  );
  return async (method, path, { token, body, raw, leaves = false, headers = {} } = {}) => {
    const context = createExecutionContext();
    const request = new Request(`https://longshore.test${path}`, {
      method,
      headers: { ...credentialOf(token), ...headers },
      ...(raw !== undefined ? { body: raw } : body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const response = await app.fetch(request, env, context);
    const isLeft = leaves && response.ok;
    if (isLeft) await response.body?.cancel();
    const text = isLeft ? '' : await response.text();
    await waitOnExecutionContext(context);
    const isJson = response.headers.get('content-type')?.includes('application/json');
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
    };
  };
}

/** Sends a session like a browser, and a key like a program. */
function credentialOf(token: string | undefined): Record<string, string> {
  if (token === undefined) return {};
  const [, cookie, proof] = /^session (\S+) (\S+)$/.exec(token) ?? [];
  if (cookie === undefined || proof === undefined) return { authorization: `Bearer ${token}` };
  return { cookie: `__Host-longshore-session=${cookie}`, 'x-longshore-session': proof };
}

type KeyFields = Partial<typeof apiKeys.$inferInsert> & { projects?: 'all' | string[] };

/** Writes a key and returns its token and id. */
export async function insertKey({ projects: seen = 'all', ...fields }: KeyFields = {}) {
  const { token, record } = await issueToken(deps.fillRandom, deps.cell);
  const { id = newId('key', deps.fillRandom) } = fields;
  await deps.db.insert(apiKeys).values({
    id,
    tenantId: 'default',
    name: 'test',
    access: 'write',
    allProjects: seen === 'all',
    createdAt: deps.now(),
    ...record,
    ...fields,
  });
  if (seen !== 'all' && seen.length > 0) {
    await deps.db.insert(apiKeyProjects).values(seen.map((projectId) => ({ keyId: id, projectId })));
  }
  return { id, token, tokenId: record.tokenId };
}

export async function insertTenant(name: string): Promise<string> {
  const id = newId('tenant', deps.fillRandom);
  await deps.db.insert(tenants).values({ id, name, quotas: {}, createdAt: 0 });
  return id;
}

export async function insertProject(fields: Partial<typeof projects.$inferInsert> = {}) {
  const id = newId('project', deps.fillRandom);
  const [row] = await deps.db
    .insert(projects)
    .values({
      id,
      tenantId: 'default',
      name: 'Test',
      slug: id.replace('_', '-'),
      description: '',
      wrappedDataKey: await deps.envelope.newDataKey(id),
      createdAt: deps.now(),
      updatedAt: deps.now(),
      ...fields,
    })
    .returning();
  if (!row) throw new Error('no row');
  return row;
}

export async function insertRunner(fields: Partial<typeof runners.$inferInsert> = {}) {
  const [row] = await deps.db
    .insert(runners)
    .values({
      id: newId('runner', deps.fillRandom),
      name: 'host',
      identityKey: 'A'.repeat(43),
      sealingKey: 'A'.repeat(43),
      facts: testFacts,
      drained: false,
      createdAt: deps.now(),
      ...fields,
    })
    .returning();
  if (!row) throw new Error('no row');
  return row;
}

let nextPort = 30_000;

/** Inserts a service without the API, for tests of other parts. */
export async function insertService(
  fields: Partial<typeof services.$inferInsert> & { projectId: string; runnerId: string },
) {
  const id = newId('service', deps.fillRandom);
  const [row] = await deps.db
    .insert(services)
    .values({
      id,
      name: 'Web',
      slug: id.replace('_', '-'),
      kind: 'git',
      repoUrl: 'https://git.example/web.git',
      branch: 'main',
      buildMethod: 'auto',
      runtimeMode: 'web',
      internalPort: 8080,
      hostPort: nextPort++,
      generatedHostname: `${id.replace('_', '-')}.localhost`,
      databasePublicEnabled: false,
      postgresLogicalReplicationEnabled: false,
      status: 'idle',
      reachable: false,
      engineSettings: null,
      defaultImageRef: null,
      suggestedKeys: [],
      createdAt: deps.now(),
      updatedAt: deps.now(),
      ...fields,
    })
    .returning();
  if (!row) throw new Error('no row');
  return row;
}
