/**
 * The calls that each Durable Object answers. The class implements its interface and the gateway calls it, so that neither
 * imports the other. Calls over RPC (https://developers.cloudflare.com/durable-objects/best-practices/create-durable-object-stubs-and-send-requests/)
 * copy their arguments and results.
 */
import { z } from 'zod';
import type { LogLine, RunnerFrameOf, RuntimeLine } from '../../protocol/frames.ts';
import type { HostRequest } from '../../protocol/host-request.ts';
import type { ProxyResult } from '../../protocol/host-task.ts';
import type { StoredLine } from '../domain/logs/log-intake.ts';
import type { LogPage } from '../domain/logs/log-window.ts';

/** Makes an interface one that a namespace of Durable Objects can be typed with. */
type DurableObject = Rpc.DurableObjectBranded;

/** Who connects, as the Worker read it from D1. Travels to the hub as JSON in the header `x-longshore-connection`. */
export const connectionSchema = z.object({
  runnerId: z.string(),
  identityKey: z.string(),
  /** Origin of the control plane as the runner addressed it; part of what is signed. */
  audience: z.string(),
});
export type Connection = z.infer<typeof connectionSchema>;

/**
 * What became of a question to a host. `runner_offline`: the host is not connected, so it was not asked. `timeout`: it was asked
 * and no answer came; whether it acted is unknown. Any other code is the host's own.
 */
export type HostAnswer = { ok: true; value: unknown } | { ok: false; code: string; message: string };

/** One RunnerHub per runner. `fetch` opens the control socket: a WebSocket upgrade with a Connection in its header. */
export interface HubCalls extends DurableObject {
  /** Looks for work in D1. Answers at once, before the work is found. */
  wake(runnerId: string): Promise<void>;
  /** Tells the host to stop a job whose row already carries `abort_requested_at`. */
  abortJob(runnerId: string, jobId: string): Promise<void>;
  /** Somebody reads this job's log: the host flushes it every 50 ms. */
  watchLog(jobId: string): Promise<void>;
  /** Sends a pending `host_tasks` row and waits for its end; `ok: false` with a reason when there was none in time. */
  runTask(runnerId: string, taskId: string, timeoutMs: number): Promise<ProxyResult>;
  /** Asks the host and waits for its answer. */
  request(request: HostRequest, timeoutMs: number): Promise<HostAnswer>;
  /** Waits until the end of this job is written. Returns false when it has not ended after `timeoutMs`. */
  jobEnds(jobId: string, timeoutMs: number): Promise<boolean>;
  /** Whether the host is connected; one whose pings stopped is not. */
  isConnected(): Promise<boolean>;
  /** Asks the host to send the log of a service's container. Returns false when it is not connected. */
  followContainer(serviceId: string, options: { after: number; lines: number }): Promise<boolean>;
  /** Closes the sockets of a revoked runner with close code 4003. */
  revoke(): Promise<void>;
}

/** Lines up to `through` are on disk. `watched`: somebody reads the log now. */
export interface LogReceipt {
  through: number;
  watched: boolean;
}

/** One LogStream per deployment. `fetch` opens a reader: a WebSocket upgrade with `?deployment=&after=`. */
export interface LogStreamCalls extends DurableObject {
  /**
   * Takes a frame of lines, `first` being the id of `lines[0]`. Answers when they are on disk: after 64 KB, after 2 s, or at once
   * when `last`. So callers send the next frame without waiting. Repeats are dropped; with lines missing before `first` it answers
   * at once with what is there. After the end everything is answered and dropped.
   */
  append(first: number, lines: LogLine[], last: boolean): Promise<LogReceipt>;
  /** A page of lines above `after`, in order; `more` when lines remain. */
  read(after: number): Promise<{ lines: StoredLine[]; more: boolean }>;
  /** The same page as JSON text of Deployment log entries. */
  readEntries(deploymentId: string, after: number, limit?: number): Promise<LogPage>;
  /** The last lines, in order, of at least `chars` of text where there is as much. */
  readTail(chars: number): Promise<StoredLine[]>;
  /** Ends the log: stores what is buffered, adds `line`, tells the readers and closes them. Repeats change nothing. */
  finish(end: { ok: boolean; line?: string }): Promise<void>;
  /** Empties the object and closes its readers. */
  purge(): Promise<void>;
}

/** One RuntimeLog per service. `fetch` opens a reader: a WebSocket upgrade with `?service=&runner=&after=`. */
export interface RuntimeLogCalls extends DurableObject {
  /** Takes lines of the host, in the order of the calls. `watched`: somebody still reads. */
  publish(part: RunnerFrameOf<'runtime-logs'>['part'], lines: RuntimeLine[]): Promise<{ watched: boolean }>;
  /** Makes sure that the host still follows; ends the stream when it is not connected. */
  keepFollowing(): Promise<void>;
}

/** One Transfer per transfer; everything passes through `fetch`. */
export interface TransferCalls extends DurableObject {}
