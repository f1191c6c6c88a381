/**
 * The real Worker with controls for tests that run it in Miniflare: `POST /__chaos` makes D1 fail before or after its commits, moves the
 * clock, and aborts a hub (it loses its memory and its sockets, as after a crash of its machine). Never part of a deployment.
 */
import type { Env } from '../../../../worker/env.ts';
import worker, { RunnerHub as RealHub } from '../../../../worker/index.ts';

export { LogStream, RuntimeLog, Shell, Transfer } from '../../../../worker/index.ts';

/** `before`: the statement never reaches D1. `after`: it was committed, but its answer is lost. */
type D1Fault = 'none' | 'before' | 'after' | 'either';

interface Levers {
  d1: D1Fault;
  /** Probability from 0 to 1, for each statement or batch. */
  chance: number;
  /** Added to the clock of Worker and objects; timers and alarms use the real clock. */
  skewMs: number;
}

const levers: Levers = { d1: 'none', chance: 1, skewMs: 0 };
const realNow = Date.now;
Date.now = () => realNow() + levers.skewMs;

const down = () => new Error('D1_ERROR: Network connection lost.');

async function guarded<Result>(run: () => Promise<Result>): Promise<Result> {
  const fails = levers.d1 !== 'none' && Math.random() < levers.chance;
  const before = levers.d1 === 'before' || (levers.d1 === 'either' && Math.random() < 0.5);
  if (fails && before) throw down();
  const result = await run();
  if (fails) throw down();
  return result;
}

const realStatements = new WeakMap<object, D1PreparedStatement>();

function flakyStatement(real: D1PreparedStatement): D1PreparedStatement {
  const flaky = new Proxy(real, {
    get(target, name) {
      if (name === 'bind') return (...values: unknown[]) => flakyStatement(target.bind(...values));
      const member = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => guarded(async () => Reflect.apply(member, target, args));
    },
  });
  realStatements.set(flaky, real);
  return flaky;
}

function flakyDatabase(real: D1Database): D1Database {
  return new Proxy(real, {
    get(target, name) {
      if (name === 'prepare') return (text: string) => flakyStatement(target.prepare(text));
      if (name === 'batch') {
        return (statements: D1PreparedStatement[]) =>
          guarded(() => target.batch(statements.map((one) => realStatements.get(one) ?? one)));
      }
      return Reflect.get(target, name).bind(target);
    },
  });
}

const flaky = (env: Env): Env => ({ ...env, DB: flakyDatabase(env.DB) });

export class RunnerHub extends RealHub {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, flaky(env));
  }

  async crash(): Promise<void> {
    this.ctx.abort('aborted by a test');
  }

  /** The next action of the object, and for whom. */
  async situation(): Promise<{ alarm: number | null; sockets: number }> {
    // A socket closed on this side stays listed until the other side, which may no longer exist, has answered.
    const open = this.ctx.getWebSockets().filter((socket) => socket.readyState === WebSocket.OPEN);
    return { alarm: await this.ctx.storage.getAlarm(), sockets: open.length };
  }
}

type Command = Partial<Levers> & {
  /** Runner ids. */
  crashHub?: string;
  hub?: string;
  query?: string;
};

async function obey(command: Command, env: Env): Promise<unknown> {
  const { crashHub, hub, query, ...change } = command;
  Object.assign(levers, change);
  const hubOf = (id: string) =>
    env.RUNNER_HUB.get(env.RUNNER_HUB.idFromName(id)) as unknown as DurableObjectStub<RunnerHub>;
  if (crashHub !== undefined) {
    await hubOf(crashHub)
      .crash()
      .catch(() => {}); // The call ends with the object.
  }
  if (hub !== undefined) return await hubOf(hub).situation();
  if (query !== undefined) return (await env.DB.prepare(query).all()).results;
  return {};
}

// biome-ignore lint/style/noDefaultExport: a Worker's entry is one
export default {
  async fetch(request, env, ctx) {
    if (new URL(request.url).pathname !== '/__chaos') return worker.fetch(request, flaky(env), ctx);
    return Response.json(await obey(await request.json(), env));
  },
  scheduled: (event, env) => worker.scheduled(event, flaky(env)),
} satisfies ExportedHandler<Env>;
