/** Requests and tasks sent to a connected host while a client waits for the result. */
import { protocolVersion, type RunnerFrameOf } from '../../protocol/frames.ts';
import type { HostRequest } from '../../protocol/host-request.ts';
import type { ProxyResult } from '../../protocol/host-task.ts';
import type { HostAnswer } from '../gateways/object-calls.ts';
import type { HostTaskRow } from '../store/jobs/host-task-store.ts';
import { PendingReplies } from './pending-replies.ts';
import type { RunnerSockets } from './runner-sockets.ts';

const offlineAnswer = unanswered('runner_offline', 'The host is not connected.');
const lateAnswer = unanswered('timeout', 'The host did not answer in time.');
const lostAnswer = unanswered('timeout', 'The connection to the host was lost before it answered.');
const offlineTask: ProxyResult = {
  ok: false,
  detail: 'The host is not connected; it will do this when it reconnects.',
};
const lateTask: ProxyResult = {
  ok: false,
  detail: 'The host has not finished this yet, but continues in the background.',
};

export class HostRequests {
  readonly #sockets: RunnerSockets;
  readonly #answers = new PendingReplies<HostAnswer>();
  readonly #tasks = new PendingReplies<ProxyResult>();

  constructor(sockets: RunnerSockets) {
    this.#sockets = sockets;
  }

  /** @param isConnected passed in, because a dead socket still accepts frames */
  async ask(request: HostRequest, timeoutMs: number, isConnected: boolean): Promise<HostAnswer> {
    if (!isConnected) return offlineAnswer;
    const { upgradeNeeded } = this.#sockets;
    // The same answer as from a runner that can't start.
    if (upgradeNeeded !== null && request.op !== 'upgrade')
      return { ok: false, code: 'internal', message: upgradeNeeded };
    const id = crypto.randomUUID();
    const answer = this.#answers.wait(id, timeoutMs, lateAnswer);
    const frame = { v: protocolVersion, type: 'request', id, deadlineMs: timeoutMs, ask: request } as const;
    if (!this.#sockets.send(frame)) this.#answers.settle(id, offlineAnswer);
    return answer;
  }

  answered({ id, outcome }: RunnerFrameOf<'response'>): void {
    this.#answers.settle(id, outcome.ok ? { ok: true, value: outcome.value } : outcome);
  }

  /** Sends the task and waits for its end. A task that was sent before runs again, which is harmless. */
  runTask({ id, task }: HostTaskRow, timeoutMs: number): Promise<ProxyResult> {
    const done = this.#tasks.wait(id, timeoutMs, lateTask);
    const sent = this.#sockets.send({ v: protocolVersion, type: 'task', id, task });
    const detail = this.#sockets.upgradeNeeded ?? offlineTask.detail;
    if (!sent) this.#tasks.settle(id, { ok: false, detail });
    return done;
  }

  taskDone({ id, proxy }: RunnerFrameOf<'task-done'>): void {
    this.#tasks.settle(id, proxy);
  }

  /** Called when the connection is lost, and with it all pending replies. */
  rejectAll(): void {
    this.#answers.settleAll(lostAnswer);
    this.#tasks.settleAll(offlineTask);
  }
}

function unanswered(code: 'runner_offline' | 'timeout', message: string): HostAnswer {
  return { ok: false, code, message };
}
