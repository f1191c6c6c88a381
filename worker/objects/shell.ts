/**
 * One interactive session in a container. Both sides connect to this object, which passes their messages on.
 *
 *   client                        Shell                          runner
 *                                   <- socket, with the token ----  asked by `open-shell`
 *     -- socket, with the ticket -->
 *                                   -- start -------------------->  starts the command
 *     -- bytes, resize, ... ------->-- the same ----------------->  stdin
 *     <- bytes --------------------<-- bytes ---------------------  output
 *     <- exit ---------------------<-- exit ----------------------  the command has ended
 *
 * Once a minute an alarm checks the key, the time limits and both connections. Every end is written to the audit log.
 */
import { DurableObject } from 'cloudflare:workers';
import { pingText, pongText } from '../../protocol/frames.ts';
import {
  type ShellEnd,
  shellOverMessage,
  shellShortMessages,
  shellStartMessage,
} from '../../protocol/shells/shell.ts';
import { createDependencies } from '../context.ts';
import { hostLost, shellOpenMs, shellOver } from '../domain/services/shell-messages.ts';
import type { Env } from '../env.ts';
import type { ShellCalls, ShellSession } from '../gateways/object-calls.ts';
import { endShellContainer } from '../usecases/commands/new-container.ts';
import { recordShellEnd, recordShellStart } from '../usecases/commands/open-shell.ts';
import { mayStillUseShell } from '../usecases/commands/still-allowed.ts';
import type { Dependencies } from '../usecases/dependencies.ts';
import { ShellSides } from './shell-sides.ts';

const checkMs = 60_000;
const closedNormally = 1000;
const brokeProtocol = 1002;
const busyClient = `The client sent more than ${shellShortMessages.perSecond} short messages a second: send input in larger pieces.`;

interface Stored extends ShellSession {
  startedAt: number | null;
}

export class Shell extends DurableObject<Env> implements ShellCalls {
  /** Read at each use, so that it can be replaced while the object lives. */
  deps: Dependencies;
  readonly #sides: ShellSides;
  #ending = false;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(pingText, pongText));
    this.deps = createDependencies(env);
    this.#sides = new ShellSides(ctx);
  }

  async begin(session: ShellSession): Promise<void> {
    const stored: Stored = { ...session, startedAt: null };
    await this.ctx.storage.put('session', stored);
    await this.ctx.storage.setAlarm(this.deps.now() + shellOpenMs);
  }

  async discard(): Promise<void> {
    this.#sides.send('host', shellOverMessage);
    this.#sides.close(closedNormally, 'not opened');
    await this.#forget();
  }

  override async fetch(request: Request): Promise<Response> {
    if (request.headers.get('upgrade') !== 'websocket') return new Response(null, { status: 426 });
    const side = new URL(request.url).searchParams.get('side') === 'host' ? 'host' : 'client';
    const session = await this.#session();
    if (!session || this.#ending) return new Response(null, { status: 404 });
    // The host connects first. Its disconnection ends the session.
    if (side === 'client' && !this.#sides.socket('host')) return new Response(null, { status: 404 });
    if (this.ctx.getWebSockets(side).length > 0) return new Response(null, { status: 409 });
    const webSocket = this.#sides.accept(side, this.deps.now());
    if (side === 'client') {
      // The key may have become invalid after the ticket was issued.
      const reason = await this.#refusedBy(session, true);
      if (reason === undefined) await this.#start(session);
      else await this.#end({ code: null, reason });
    }
    return new Response(null, { status: 101, webSocket });
  }

  override async webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): Promise<void> {
    if (this.#ending) return;
    const done = this.#sides.relay(socket, message, this.deps.now());
    if (done.kind === 'exit') await this.#end({ code: done.code, reason: done.reason });
    if (done.kind === 'busy') await this.#end({ code: null, reason: busyClient }, brokeProtocol);
    if (done.kind === 'broken') {
      const who = this.#sides.sideOf(socket) === 'host' ? 'The host' : 'The client';
      await this.#end({ code: null, reason: `${who} did not keep to the protocol.` }, brokeProtocol);
    }
  }

  override async webSocketClose(socket: WebSocket): Promise<void> {
    // Answering the close frees the other side at once.
    socket.close(closedNormally);
    if (this.#ending) return;
    const isHost = this.#sides.sideOf(socket) === 'host';
    await this.#end({ code: null, reason: isHost ? hostLost : 'The client has gone.' });
  }

  override async webSocketError(socket: WebSocket): Promise<void> {
    await this.webSocketClose(socket);
  }

  override async alarm(): Promise<void> {
    const session = await this.#session();
    if (!session) return;
    const now = this.deps.now();
    const reason = this.#overBy(session, now) ?? (await this.#refusedBy(session));
    if (reason !== undefined) await this.#end({ code: null, reason });
    else await this.ctx.storage.setAlarm(now + checkMs);
  }

  async #start(session: Stored): Promise<void> {
    const startedAt = this.deps.now();
    await this.ctx.storage.put('session', { ...session, startedAt });
    await this.ctx.storage.setAlarm(startedAt + checkMs);
    this.ctx.waitUntil(recordShellStart(this.deps, session));
    this.#sides.send('host', shellStartMessage);
  }

  #overBy({ createdAt, startedAt }: Stored, now: number): string | undefined {
    const [client, host] = [this.#sides.use('client'), this.#sides.use('host')];
    return shellOver(
      {
        createdAt,
        startedAt,
        usedAt: Math.max(startedAt ?? 0, client.lastAt, host.lastAt),
        client: this.#sides.lastSeen('client'),
        host: this.#sides.lastSeen('host'),
      },
      now,
    );
  }

  /** @param atStart whether a failed check counts as a refusal, because nothing runs yet */
  async #refusedBy(session: Stored, atStart = false): Promise<string | undefined> {
    try {
      if (await mayStillUseShell(this.deps, session)) return undefined;
      return 'The key that opened this shell is no longer valid for the service.';
    } catch (error) {
      console.warn(`The key of ${session.shellId} could not be checked now: ${String(error)}`);
      return atStart ? 'The key of this shell could not be checked: try again.' : undefined;
    }
  }

  /** Informs the client, closes both sides and writes the audit entry. Only the first call has an effect. */
  async #end(end: ShellEnd, code = closedNormally): Promise<void> {
    if (this.#ending) return;
    this.#ending = true;
    this.#sides.send('client', JSON.stringify({ type: 'exit', ...end }));
    this.#sides.send('host', shellOverMessage);
    const [bytesIn, bytesOut] = [this.#sides.use('client').bytes, this.#sides.use('host').bytes];
    this.#sides.close(code, 'the shell is over');
    const session = await this.#session();
    if (session?.runId) await this.#endContainer(session.runId);
    if (session && session.startedAt !== null) {
      const seconds = Math.round((this.deps.now() - session.startedAt) / 1000);
      await recordShellEnd(this.deps, session, { seconds, bytesIn, bytesOut, end });
    }
    await this.#forget();
  }

  /** If the container can't be ended now, its time limit ends it. */
  async #endContainer(runId: string): Promise<void> {
    try {
      await endShellContainer(this.deps, runId);
    } catch (error) {
      console.error(`The container of a shell (${runId}) could not be ended now:`, error);
    }
  }

  async #session(): Promise<Stored | undefined> {
    return this.ctx.storage.get<Stored>('session');
  }

  async #forget(): Promise<void> {
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }
}
