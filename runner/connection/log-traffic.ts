/**
 * Sends lines of jobs and of running containers to the control plane. Each log uses one of two connections: the control socket, through the
 * hub; or, while the log is read, a socket straight to its object. When the connection changes, unacknowledged lines are sent again on the
 * new one, and late answers on the old one are ignored. The logs drop lines that they already have, so no line is lost or doubled.
 */
import type { HubFrame, HubFrameOf, RunnerFrame } from '../../protocol/frames.ts';
import type { Clock } from '../base/clock.ts';
import { RuntimeLogs, type RuntimeLogsParts } from '../runtime-logs/runtime-logs.ts';
import { LogSender, type LogSenderParts } from './log-sender.ts';
import { LogSockets } from './log-sockets.ts';

export interface LogTrafficParts extends Omit<LogSenderParts, 'send' | 'hasOwnSocket'> {
  url: string;
  clock: Clock;
  containerLogs: RuntimeLogsParts['host'];
  /** Sends on the control socket. */
  send(frame: RunnerFrame): boolean;
}

type LineFrame = Extract<RunnerFrame, { type: 'logs' | 'runtime-logs' }>;
type LogFrame = HubFrameOf<'log-ack'> | HubFrameOf<'watch'> | HubFrameOf<'tail'> | HubFrameOf<'tail-ack'>;

export class LogTraffic {
  readonly jobs: LogSender;
  readonly containers: RuntimeLogs;
  readonly #sockets: LogSockets;
  readonly #toHub: (frame: RunnerFrame) => boolean;

  constructor({ url, clock, containerLogs, send, ...parts }: LogTrafficParts) {
    this.#toHub = send;
    this.#sockets = new LogSockets({
      url,
      clock,
      rerouted: (id) => this.#rerouted(id),
      frame: (frame) => this.#take(frame),
    });
    const sendLines = (frame: LineFrame) => this.#send(frame);
    const hasOwnSocket = (id: string) => this.#sockets.isOpen(id);
    this.jobs = new LogSender({ ...parts, clock, send: sendLines, hasOwnSocket });
    this.containers = new RuntimeLogs({
      host: containerLogs,
      clock,
      send: sendLines,
      hasOwnSocket,
      stopped: (serviceId) => this.#sockets.close(serviceId),
    });
  }

  /** A frame of the hub. */
  take(frame: LogFrame): void {
    const id = idOf(frame);
    if ('ticket' in frame && frame.ticket !== undefined) this.#sockets.offer(id, frame.ticket);
    const isAnswer = frame.type === 'log-ack' || frame.type === 'tail-ack';
    if (!(isAnswer && this.#sockets.isOpen(id))) this.#take(frame);
  }

  /** Sends again on a new control socket: frames sent on the old one may be lost. */
  reconnected(): void {
    this.jobs.reconnected();
    this.containers.reconnected();
  }

  /** Nothing more will be sent for this job. */
  forget(job: string): void {
    this.jobs.forget(job);
    this.#sockets.close(job);
  }

  stop(): void {
    this.jobs.stop();
    this.#sockets.stop();
  }

  #send(frame: LineFrame): boolean {
    const id = idOf(frame);
    return this.#sockets.isOpen(id) ? this.#sockets.send(id, frame) : this.#toHub(frame);
  }

  #take(frame: HubFrame): void {
    if (frame.type === 'log-ack') this.jobs.receipt(frame);
    else if (frame.type === 'watch') this.jobs.watch(frame.job);
    else if (frame.type === 'tail') this.containers.tail(frame);
    else if (frame.type === 'tail-ack') this.containers.answered(frame);
  }

  /** The id belongs to a job or to a service; the other part ignores it. */
  #rerouted(id: string): void {
    this.jobs.rerouted(id);
    this.containers.rerouted(id);
  }
}

const idOf = (frame: LineFrame | LogFrame) => ('job' in frame ? frame.job : frame.serviceId);
