/**
 * The calls of each Durable Object. The class implements its interface and the gateway calls it, so that neither imports the other.
 * RPC calls (https://developers.cloudflare.com/durable-objects/best-practices/create-durable-object-stubs-and-send-requests/) copy their
 * arguments and results.
 */
import { z } from 'zod';
import type { LogLine, RunnerFrameOf, RuntimeLine } from '../../protocol/frames.ts';
import type { HostRequest } from '../../protocol/host-request.ts';
import type { ProxyResult } from '../../protocol/host-task.ts';
import type { LogEnding } from '../domain/logs/log-events.ts';
import type { StoredLine } from '../domain/logs/log-intake.ts';
import type { LogPage } from '../domain/logs/log-window.ts';

/** Makes an interface usable as the type of a Durable Object namespace. */
type DurableObject = Rpc.DurableObjectBranded;

/** The connecting runner, as the Worker read it from D1. Sent to the hub as JSON in the header `x-longshore-connection`. */
export const connectionSchema = z.object({
  runnerId: z.string(),
  identityKey: z.string(),
  /** The control plane's origin as the runner addressed it; it is part of the signature. */
  audience: z.string(),
});
export type Connection = z.infer<typeof connectionSchema>;

/**
 * The result of a request to a host. `runner_offline`: the host is not connected, so nothing was sent. `timeout`: the request was sent but
 * not answered, so it is unknown whether the host acted. Any other code is the host's own.
 */
export type HostAnswer = { ok: true; value: unknown } | { ok: false; code: string; message: string };

/** One RunnerHub per runner. `fetch` opens the control socket: a WebSocket upgrade with a Connection in its header. */
export interface HubCalls extends DurableObject {
  /** Starts to look for work in D1 and returns immediately. */
  wake(runnerId: string): Promise<void>;
  /** Tells the host to stop a job whose row already carries `abort_requested_at`. */
  abortJob(runnerId: string, jobId: string): Promise<void>;
  /** A client is reading this job's log: the host flushes it every 250 ms. */
  watchLog(jobId: string): Promise<void>;
  /** Sends a pending `host_tasks` row and waits for its end; `ok: false` with a reason if it did not end in time. */
  runTask(runnerId: string, taskId: string, timeoutMs: number): Promise<ProxyResult>;
  /** Asks the host and waits for its answer. */
  request(request: HostRequest, timeoutMs: number): Promise<HostAnswer>;
  /** Waits until the end of this job is stored. Returns false if it has not ended after `timeoutMs`. */
  jobEnds(jobId: string, timeoutMs: number): Promise<boolean>;
  /** Whether the host is connected; a host without recent pings is not. */
  isConnected(): Promise<boolean>;
  /** Asks the host to send the log of a service's container. Returns false if it is not connected. */
  followContainer(serviceId: string, options: { after: number; lines: number }): Promise<boolean>;
  /** Sends the host the alert rules that people made, if it is connected and knows them. */
  sendAlertRules(): Promise<void>;
  /** Sends the host the log drains of its projects, if it is connected and knows them. */
  sendLogDrains(): Promise<void>;
  /** Closes the sockets of a revoked runner with close code 4003. */
  revoke(): Promise<void>;
}

/** Lines up to `through` are on disk. `watched`: the log has readers now. `paceMs`: see `log-ack` in protocol/frames. */
export interface LogReceipt {
  through: number;
  watched: boolean;
  paceMs?: number;
}

/** How a log ends. Repeats change nothing. */
export interface LogEnd extends LogEnding {
  /** Added as the last line, from `system`. */
  line?: string;
  /** In place of `line` for a log that has no lines. */
  lineIfEmpty?: string;
  /** The log's deployment, by which its age is checked later. */
  deploymentId?: string;
}

/** `trouble`: why the archive could not be read; then the log was not ended. */
export interface LogFinish {
  trouble?: string;
}

/** The objects of logs: their hosts write on sockets of their own (gateways/log-writers). */
interface WrittenLog extends DurableObject {
  /** Closes the sockets of a revoked host. */
  closeWriters(runnerId: string): Promise<void>;
}

/** One LogStream per deployment. `fetch` opens a reader: a WebSocket upgrade with `?deployment=&after=&key=&max=`. */
export interface LogStreamCalls extends WrittenLog {
  /**
   * Stores a frame of lines; `first` is the id of `lines[0]`. Repeats are dropped. If lines before `first` are missing, nothing is stored:
   * continue after `through`. After the end, everything is acknowledged and dropped. `last`: for objects of the version before, which
   * gathered frames; this one stores each.
   */
  append(first: number, lines: LogLine[], last: boolean): Promise<LogReceipt>;
  /** A page of lines above `after`, in order. `more`: lines remain. */
  read(after: number): Promise<{ lines: StoredLine[]; more: boolean }>;
  /** The same page as JSON text of deployment log entries. */
  readEntries(deploymentId: string, after: number, limit?: number): Promise<LogPage>;
  /** The last lines, in order: at least `chars` characters if there are that many. */
  readTail(chars: number): Promise<StoredLine[]>;
  /**
   * Ends the log: stores the buffer, adds `line`, sends the end to the readers and closes them. One that was removed for its age gets its
   * lines back from the archive. Repeats change nothing. Objects of the version before answer nothing.
   */
  finish(end: LogEnd): Promise<LogFinish | undefined>;
  /** Empties the object and closes its readers. */
  purge(): Promise<void>;
}

/** One RuntimeLog per service. `fetch` opens a reader: a WebSocket upgrade with `?service=&runner=&after=&key=&max=`. */
export interface RuntimeLogCalls extends WrittenLog {
  /**
   * Accepts lines from a host, in the order of the calls. `watched`: there are still readers. Lines of a host that the readers did not ask
   * for are dropped, and `watched` is false for it.
   */
  publish(
    runnerId: string,
    part: RunnerFrameOf<'runtime-logs'>['part'],
    lines: RuntimeLine[],
  ): Promise<{ watched: boolean; paceMs?: number }>;
  /** Makes sure that the host still follows the container; ends the stream if it is not connected. */
  keepFollowing(): Promise<void>;
  /** The service has moved to this host: tells the readers of its old host so, and ends their streams. */
  moveTo(runnerId: string): Promise<void>;
}

/** Who opened a shell, and where. Stored in its object while it lasts. */
export interface ShellSession {
  shellId: string;
  serviceId: string;
  /** The host. */
  runnerId: string;
  /** The command whose container is the shell's own, and ends with it; null: the live container. */
  runId: string | null;
  tenantId: string;
  keyId: string;
  /** Public part of the key's token: the session ends once it is no longer valid for the service. */
  tokenId: string;
  requestId: string;
  /** Of the client, for the audit log. */
  address: string;
  createdAt: number;
}

/** One Shell per session. `fetch` opens one end: a WebSocket upgrade with `?side=host` or `?side=client`. */
export interface ShellCalls extends DurableObject {
  /** Begins a session, which ends if both sides do not come. */
  begin(session: ShellSession): Promise<void>;
  /** The host has opened nothing: forgets the session. */
  discard(): Promise<void>;
}

/** One Transfer per transfer; everything passes through `fetch`. */
export interface TransferCalls extends DurableObject {}
