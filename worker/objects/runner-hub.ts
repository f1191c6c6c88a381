/**
 * The live side of one host: its runner's control socket, and the protocol on it.
 *   runner                                hub
 *     <- challenge -------------------------  a socket is accepted (RunnerSockets)
 *     -- hello (signed, jobs it has) ------>  runner authenticated, presence written (handshake)
 *     <- welcome ---------------------------
 *     <- start, abort, task ----------------  brings the runner to the rows' state (JobPump): after hello, wake, alarm and every end of a job
 *     -- alive, every 20 s while at work -->  leases renewed; in memory, no row
 *     -- logs ------------------------------> LogStream; <- log-ack once on disk (LogRelay); a read log has a socket of its own (LogTickets)
 *     -- switch-request ------------------->  phase `switch` in the row; <- switch-answer
 *     -- report --------------------------->  rows in D1; <- report-ack only then (the runner keeps it until it is acknowledged)
 *     -- observed, task-done -------------->  rows in D1
 *     <- request, -- response ------------->  a client waits
 *     <- tail, -- runtime-logs ------------>  RuntimeLog, while it has readers; <- tail-ack
 * All its state is also in the rows or in the runner. An idle, connected hub hibernates: no alarm, no timer, no row written.
 */
import { DurableObject } from 'cloudflare:workers';
import { closeCodes } from '../../protocol/enrolment.ts';
import {
  parseRunnerFrame,
  pingText,
  pongText,
  protocolVersion,
  type RunnerFrameOf,
} from '../../protocol/frames.ts';
import type { HostRequest } from '../../protocol/host-request.ts';
import type { ProxyResult } from '../../protocol/host-task.ts';
import { createDependencies } from '../context.ts';
import { isTerminal } from '../domain/jobs/job-state.ts';
import { Leases } from '../domain/jobs/leases.ts';
import type { Env } from '../env.ts';
import {
  connectionSchema,
  type HostAnswer,
  type HostSetting,
  type HubCalls,
} from '../gateways/object-calls.ts';
import { markDisconnected } from '../store/hosts/presence-store.ts';
import { findHostTask } from '../store/jobs/host-task-store.ts';
import { findJob } from '../store/jobs/job-store.ts';
import type { Dependencies } from '../usecases/dependencies.ts';
import { KnownJobs } from '../usecases/jobs/known-jobs.ts';
import { FrameIntake, presenceQueue } from './frame-intake.ts';
import { answerHello, helloCharsMax, noteAnswer } from './handshake.ts';
import { HostRequests } from './host-requests.ts';
import { HostSettings } from './host-settings.ts';
import { JobPump } from './job-pump.ts';
import { LogRelay } from './log-relay.ts';
import { LogTickets } from './log-tickets.ts';
import { PendingReplies } from './pending-replies.ts';
import { RunnerSockets, type SocketState } from './runner-sockets.ts';
import { SerialQueues } from './serial-queues.ts';

const keptLeasesMax = 32; // A host runs only a few jobs at once, and an attachment holds 16 KB.

export class RunnerHub extends DurableObject<Env> implements HubCalls {
  /** The hub's parts read this field at each use, so it can be replaced while the object lives. */
  deps: Dependencies;
  readonly #sockets: RunnerSockets;
  readonly #leases: Leases;
  readonly #pump: JobPump;
  readonly #settings: HostSettings;
  readonly #logs: LogRelay;
  readonly #tickets: LogTickets;
  readonly #intake: FrameIntake;
  readonly #queues = new SerialQueues();
  readonly #questions: HostRequests;
  /** Waits of requests for the end of jobs. */
  readonly #ends = new PendingReplies<boolean>();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(pingText, pongText));
    this.deps = createDependencies(env);
    this.#sockets = new RunnerSockets(ctx, () => this.deps.now());
    const { current } = this.#sockets;
    this.#leases = new Leases((current && this.#sockets.state(current)?.leases) ?? []);
    this.#questions = new HostRequests(this.#sockets);
    const known = new KnownJobs();
    const deps = () => this.deps;
    this.#tickets = new LogTickets(ctx.storage.kv, deps);
    this.#logs = new LogRelay(env.LOG_STREAM, known, this.#tickets);
    const shared = { deps, sockets: this.#sockets, leases: this.#leases, known };
    const jobEnded = (job: string) => this.#ends.settle(job, true);
    this.#settings = new HostSettings(shared);
    this.#pump = new JobPump({
      ...shared,
      settings: this.#settings,
      jobEnded,
      lost: (runnerId) => this.#connectionLost(runnerId),
    });
    this.#intake = new FrameIntake({
      ...shared,
      pump: this.#pump,
      logs: this.#logs,
      runtimeLogs: env.RUNTIME_LOG,
      questions: this.#questions,
      queues: this.#queues,
      dispatchWork: (runnerId) => ctx.waitUntil(this.#dispatchWork(runnerId)),
      keepLeases: () => this.#keepLeases(),
      jobEnded,
      lost: (runnerId) => ctx.waitUntil(this.#connectionLost(runnerId)),
    });
  }

  /** Accepts a new control socket; only the Worker's connect route calls it. */
  override async fetch(request: Request): Promise<Response> {
    if (request.headers.get('upgrade') !== 'websocket') return new Response(null, { status: 426 });
    const text = request.headers.get('x-longshore-connection') ?? '';
    const connection = connectionSchema.parse(JSON.parse(text));
    this.#sockets.closeOverdue();
    return new Response(null, { status: 101, webSocket: this.#sockets.accept(connection) });
  }

  async wake(runnerId: string): Promise<void> {
    this.ctx.waitUntil(this.#dispatchWork(runnerId)); // The caller does not have to wait.
  }

  async abortJob(runnerId: string, jobId: string): Promise<void> {
    const lease = this.#leases.find(jobId);
    if (lease) this.#sockets.send({ v: protocolVersion, type: 'abort', job: jobId, epoch: lease.epoch });
    else await this.wake(runnerId);
  }

  async watchLog(_runnerId: string, jobId: string): Promise<void> {
    this.#sockets.send({ v: protocolVersion, type: 'watch', job: jobId });
  }

  async runTask(runnerId: string, taskId: string, timeoutMs: number): Promise<ProxyResult> {
    const row = await findHostTask(this.deps.db, runnerId, taskId);
    if (!row) return { ok: false, detail: 'The task does not exist.' };
    if (row.state === 'done') return { ok: row.ok ?? true, detail: row.detail ?? '' };
    this.#pump.taskSent(taskId);
    // A removed service has no rows any more, so its running job must be aborted.
    this.ctx.waitUntil(this.#dispatchWork(runnerId));
    return this.#questions.runTask(row, timeoutMs);
  }

  /** Registers the wait before it reads the row, so that it does not miss an end in between. */
  async jobEnds(_runnerId: string, jobId: string, timeoutMs: number): Promise<boolean> {
    const end = this.#ends.wait(jobId, timeoutMs, false);
    const found = await findJob(this.deps.db, jobId);
    if (!found || isTerminal(found.job.state)) this.#ends.settle(jobId, true);
    return end;
  }

  async request(_runnerId: string, request: HostRequest, timeoutMs: number): Promise<HostAnswer> {
    return this.#questions.ask(request, timeoutMs, await this.isConnected());
  }

  /** A socket without recent pings counts as disconnected, and is given up, because nothing else might ever wake up this object. */
  async isConnected(): Promise<boolean> {
    if (this.#sockets.isSilent) this.ctx.waitUntil(this.alarm());
    return this.#sockets.isSilent === false;
  }

  /** Asks the host for a container's log (`tail` is a reserved name of the platform). @returns false if the host is not connected */
  async followContainer(serviceId: string, past: { after: number; lines: number }): Promise<boolean> {
    const socket = (await this.isConnected()) && this.#sockets.current;
    if (!socket) return false;
    const runnerId = this.#sockets.state(socket)?.runnerId ?? '';
    const ticket = await this.#tickets.give(runnerId, { kind: 'service', id: serviceId });
    return this.#sockets.send({ v: protocolVersion, type: 'tail', serviceId, ...past, ticket });
  }

  async sendSetting(_runnerId: string, setting: HostSetting): Promise<void> {
    await this.#settings.send(setting);
  }

  async revoke(runnerId: string): Promise<void> {
    for (const socket of this.#sockets.withSession()) {
      this.#sockets.close(socket, closeCodes.revoked, 'this runner was revoked');
      await this.#connectionLost(runnerId);
    }
    await this.#tickets.revoke();
  }

  override async webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): Promise<void> {
    const state = this.#sockets.state(socket);
    if (!state) return;
    if (!state.session && (typeof message !== 'string' || message.length > helloCharsMax))
      return this.#sockets.close(socket, closeCodes.unauthenticated, 'expected a hello');
    const parsed = parseRunnerFrame(typeof message === 'string' ? message : '');
    if (!parsed.ok) return console.warn(`A frame of a runner was dropped: ${parsed.reason}`);
    if (state.session) return this.#intake.take(socket, state.runnerId, parsed.frame);
    // The hello is being verified, or the socket was closed and has not noticed yet.
    if (state.nonce === null) return;
    const hello = parsed.frame;
    if (hello.type !== 'hello')
      return this.#sockets.close(socket, closeCodes.unauthenticated, 'expected a hello');
    this.#sockets.update(socket, { nonce: null }); // Before the first await, so that no nonce is used twice.
    await this.#queues.run(presenceQueue, () => this.#welcome(socket, state, hello));
  }

  override async webSocketClose(socket: WebSocket, code: number): Promise<void> {
    const state = this.#sockets.state(socket);
    // Answering the close frees the other side. 1005 and 1006 stand for "no code" and can't be sent.
    this.#sockets.close(socket, [1005, 1006].includes(code) ? 1000 : code, '');
    await (state?.session ? this.#connectionLost(state.runnerId) : noteAnswer(this.deps, state, code));
  }

  override async webSocketError(socket: WebSocket): Promise<void> {
    await this.webSocketClose(socket, 1006);
  }

  /** After the first expiry of a lease, the runner is asked; after the second, it is disconnected. */
  override async alarm(): Promise<void> {
    const { current } = this.#sockets;
    const runnerId = current && this.#sockets.state(current)?.runnerId;
    if (runnerId) await this.#dispatchWork(runnerId);
  }

  async #welcome(socket: WebSocket, challenged: SocketState, hello: RunnerFrameOf<'hello'>): Promise<void> {
    if (!(await answerHello(this.deps, this.#sockets, { socket, challenged }, hello))) return;
    this.#forgetConnection();
    for (const { job, epoch } of hello.jobs) this.#leases.grant(job, epoch, this.deps.now());
    this.ctx.waitUntil(this.#dispatchWork(hello.runnerId));
  }

  async #dispatchWork(runnerId: string): Promise<void> {
    this.#sockets.closeOverdue();
    await this.#pump.run(runnerId);
    this.#keepLeases();
    await this.#setAlarm();
  }

  #keepLeases(): void {
    const socket = this.#sockets.current;
    if (socket) this.#sockets.update(socket, { leases: this.#leases.records().slice(0, keptLeasesMax) });
  }

  /** Set only while there are jobs. If the lease has been renewed since, the alarm checks once and is set again. */
  async #setAlarm(): Promise<void> {
    const { storage } = this.ctx;
    const next = this.#leases.nextLapse;
    const set = await storage.getAlarm();
    if (next === undefined && set !== null) await storage.deleteAlarm();
    if (next !== undefined && set === null) await storage.setAlarm(next);
  }

  async #connectionLost(runnerId: string): Promise<void> {
    await this.#queues.run(presenceQueue, async () => {
      if (this.#sockets.current) return; // A later connection took over.
      this.#forgetConnection();
      await this.#setAlarm();
      await markDisconnected(this.deps.db, runnerId, this.deps.now()).catch((error: unknown) =>
        console.error(`The disconnection of ${runnerId} could not be stored; the sweep will do it:`, error),
      );
    });
  }

  #forgetConnection(): void {
    this.#leases.clear();
    this.#logs.forget();
    this.#pump.forgetSent();
    this.#questions.rejectAll();
  }
}
