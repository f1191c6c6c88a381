/** Handles the frames of an authenticated runner. Frames of one job are processed in order, and nothing is acknowledged before it is stored. */

import { protocolVersion, type RunnerFrame, type RunnerFrameOf } from '../../protocol/frames.ts';
import { placelessPhases } from '../../protocol/job-places.ts';
import { withUpgradeNeeded } from '../domain/hosts/minimum-runner.ts';
import type { Leases } from '../domain/jobs/leases.ts';
import type { RuntimeLogCalls } from '../gateways/object-calls.ts';
import { runtimeLogOf } from '../gateways/runtime-logs.ts';
import { writeFacts } from '../store/hosts/presence-store.ts';
import { finishHostTask } from '../store/jobs/host-task-store.ts';
import { applyHostAlerts } from '../usecases/alerts/sync-alerts.ts';
import type { Dependencies } from '../usecases/dependencies.ts';
import { answerChallenges } from '../usecases/domains/answer-challenges.ts';
import { applyDomainStates } from '../usecases/domains/apply-domain-states.ts';
import { applyObservation } from '../usecases/hosts/apply-observation.ts';
import { applyRunnerReport } from '../usecases/jobs/apply-runner-report.ts';
import { grantSwitch } from '../usecases/jobs/grant-switch.ts';
import type { KnownJobs } from '../usecases/jobs/known-jobs.ts';
import type { HostRequests } from './host-requests.ts';
import type { JobPump } from './job-pump.ts';
import type { LogRelay } from './log-relay.ts';
import { type RunnerSockets, tryAgainLater } from './runner-sockets.ts';
import type { SerialQueues } from './serial-queues.ts';

/** Queue for frames that are about the connection or the host instead of one job. */
export const presenceQueue = 'presence';

export interface IntakeParts {
  deps(): Dependencies;
  sockets: RunnerSockets;
  leases: Leases;
  known: KnownJobs;
  pump: JobPump;
  logs: LogRelay;
  runtimeLogs: DurableObjectNamespace<RuntimeLogCalls>;
  questions: HostRequests;
  /** Keys are job ids or `presenceQueue`. */
  queues: SerialQueues;
  /** Runs the pump without waiting for it. */
  dispatchWork(runnerId: string): void;
  /** Called when the job's end is stored, so that requests which wait for it can be answered. */
  jobEnded(job: string): void;
  /** Called when leases were renewed, so that they survive the object's hibernation. */
  keepLeases(): void;
  /** Called when the socket was closed on purpose. */
  lost(runnerId: string): void;
}

export class FrameIntake {
  readonly #parts: IntakeParts;

  constructor(parts: IntakeParts) {
    this.#parts = parts;
  }

  async take(socket: WebSocket, runnerId: string, frame: RunnerFrame): Promise<void> {
    if ('job' in frame) this.#parts.leases.renew(frame.job, frame.epoch, this.#parts.deps().now());
    switch (frame.type) {
      case 'hello':
        return; // Already handled by the handshake.
      case 'alive':
        return this.#renewLeases(runnerId, frame);
      case 'response':
        return this.#parts.questions.answered(frame);
      case 'logs':
        // The relay keeps the order and allows several frames in flight: the log answers a frame only after it is on disk.
        return this.#orDrop(frame, () => this.#relayLines(socket, runnerId, frame));
      case 'runtime-logs':
        return this.#orDrop(frame, () => this.#relayRuntimeLines(socket, runnerId, frame));
      case 'report':
        return this.#inOrder(frame.job, frame, () => this.#applyReport(socket, runnerId, frame));
      case 'switch-request':
        return this.#inOrder(frame.job, frame, () => this.#answerSwitch(socket, runnerId, frame));
      case 'observed':
        return this.#inOrder(presenceQueue, frame, () => this.#observe(socket, runnerId, frame));
      case 'facts':
        return this.#inOrder(presenceQueue, frame, () => this.#storeFacts(socket, runnerId, frame));
      case 'domains':
        return this.#inOrder(presenceQueue, frame, () => this.#seeDomains(socket, runnerId, frame));
      case 'alerts':
        return this.#inOrder(presenceQueue, frame, () => this.#seeAlerts(socket, runnerId, frame));
      case 'task-done':
        return this.#inOrder(presenceQueue, frame, () => this.#finishTask(runnerId, frame));
    }
  }

  #renewLeases(runnerId: string, { jobs }: RunnerFrameOf<'alive'>): void {
    const { leases, deps, dispatchWork, keepLeases } = this.#parts;
    const now = deps().now();
    const unknown = jobs.filter(({ job, epoch }) => !leases.renew(job, epoch, now));
    // The runner has jobs without a lease here. Its report is trusted, and the pump compares its jobs with the rows.
    for (const { job, epoch } of unknown) leases.grant(job, epoch, now);
    if (unknown.length > 0) dispatchWork(runnerId);
    else keepLeases();
  }

  async #relayLines(socket: WebSocket, runnerId: string, frame: RunnerFrameOf<'logs'>): Promise<void> {
    const { deps, logs, sockets } = this.#parts;
    sockets.sendTo(socket, await logs.relay(deps(), runnerId, frame));
  }

  /**
   * Calls reach the log in order. A failed one is not acknowledged, so the runner sends its lines again. The log knows which host it
   * requested lines from: lines of another host are discarded, and answered as if the log had no readers.
   */
  async #relayRuntimeLines(
    socket: WebSocket,
    runnerId: string,
    frame: RunnerFrameOf<'runtime-logs'>,
  ): Promise<void> {
    const { sockets, runtimeLogs } = this.#parts;
    const { serviceId, part, lines } = frame;
    const answer = await runtimeLogOf(runtimeLogs, serviceId).publish(runnerId, part, lines);
    sockets.sendTo(socket, { v: protocolVersion, type: 'tail-ack', serviceId, ...answer });
  }

  async #applyReport(socket: WebSocket, runnerId: string, frame: RunnerFrameOf<'report'>): Promise<void> {
    const { deps, known, leases, pump, sockets, dispatchWork, jobEnded } = this.#parts;
    const { id, job, epoch, event } = frame;
    await applyRunnerReport(deps(), { runnerId, job, epoch, id, event }, known);
    sockets.sendTo(socket, { v: protocolVersion, type: 'report-ack', id });
    if (event.type === 'phase') {
      if (event.phase === placelessPhases[0] && pump.mayHaveWaiting) dispatchWork(runnerId);
      return;
    }
    if (leases.find(job)?.epoch === epoch) leases.drop(job);
    jobEnded(job);
    dispatchWork(runnerId);
  }

  async #answerSwitch(
    socket: WebSocket,
    runnerId: string,
    { job, epoch }: RunnerFrameOf<'switch-request'>,
  ): Promise<void> {
    const { deps, known, sockets } = this.#parts;
    const granted = await this.#orReconnect(socket, runnerId, () =>
      grantSwitch(deps(), { runnerId, job, epoch }, known),
    );
    sockets.sendTo(socket, { v: protocolVersion, type: 'switch-answer', job, epoch, granted });
  }

  /** The runner reports changes once, without acknowledgement. If the write fails, a new connection causes another report. */
  async #observe(socket: WebSocket, runnerId: string, frame: RunnerFrameOf<'observed'>): Promise<void> {
    await this.#orReconnect(socket, runnerId, () =>
      applyObservation(this.#parts.deps(), runnerId, frame.services),
    );
  }

  /** Handled like `observed`: the hello of a new connection has all facts. Jobs may have waited for them, as for Docker's return. */
  async #storeFacts(
    socket: WebSocket,
    runnerId: string,
    { facts, sentAt }: RunnerFrameOf<'facts'>,
  ): Promise<void> {
    const { db, newId, now } = this.#parts.deps();
    const report = { facts: withUpgradeNeeded(facts), sentAt, at: now(), eventId: newId('event') };
    await this.#orReconnect(socket, runnerId, () => writeFacts(db, runnerId, report));
    if (this.#parts.pump.mayHaveWaiting) this.#parts.dispatchWork(runnerId);
  }

  /** Handled like `observed`. */
  async #seeDomains(socket: WebSocket, runnerId: string, frame: RunnerFrameOf<'domains'>): Promise<void> {
    const hasTasks = await this.#orReconnect(socket, runnerId, () =>
      applyDomainStates(this.#parts.deps(), runnerId, frame.domains),
    );
    if (hasTasks) this.#parts.dispatchWork(runnerId);
    // Does not delay the next frame, because a DNS provider may take seconds.
    void this.#inOrder('challenges', frame, () =>
      answerChallenges(this.#parts.deps(), runnerId, frame.domains),
    );
  }

  /** Handled like `observed`. */
  async #seeAlerts(socket: WebSocket, runnerId: string, { firing }: RunnerFrameOf<'alerts'>): Promise<void> {
    await this.#orReconnect(socket, runnerId, () => applyHostAlerts(this.#parts.deps(), runnerId, firing));
  }

  /**
   * Closes the socket if the store fails. While the store is down, no connection is accepted either, so the runner waits, even in the
   * middle of a switch, and reports everything again when the store is back.
   */
  async #orReconnect<Result>(socket: WebSocket, runnerId: string, work: () => Promise<Result>) {
    const { sockets, lost } = this.#parts;
    try {
      return await work();
    } catch (error) {
      sockets.close(socket, tryAgainLater, 'the store does not answer');
      lost(runnerId);
      throw error;
    }
  }

  async #finishTask(runnerId: string, frame: RunnerFrameOf<'task-done'>): Promise<void> {
    const { deps, pump, questions, dispatchWork } = this.#parts;
    const { id, proxy } = frame;
    const kind = await finishHostTask(deps().db, { runnerId, taskId: id, proxy, at: deps().now() });
    pump.taskDone(id);
    questions.taskDone(frame);
    // Deployments wait for the end of these tasks.
    if (kind === 'remove-service' || kind === 'remove-project' || kind === 'stop-service')
      dispatchWork(runnerId);
  }

  #inOrder(key: string, frame: RunnerFrame, work: () => Promise<void>): Promise<void> {
    return this.#parts.queues.run(key, () => this.#orDrop(frame, work));
  }

  /** A frame that could not be applied is not acknowledged, so the runner sends it again. */
  async #orDrop(frame: RunnerFrame, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      console.error(`A ${frame.type} frame could not be applied:`, error);
    }
  }
}
