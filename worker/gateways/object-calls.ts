/**
 * The calls of each Durable Object. The class implements its interface and the gateway calls it, so that neither imports the other.
 * RPC calls (https://developers.cloudflare.com/durable-objects/best-practices/create-durable-object-stubs-and-send-requests/) copy their
 * arguments and results.
 */
import { z } from 'zod';
import type { LogLine, RunnerFrameOf, RuntimeLine } from '../../protocol/frames.ts';
import type { HostRequest } from '../../protocol/host-request.ts';
import type { ProxyResult } from '../../protocol/host-task.ts';
import type { Initiator } from '../domain/access/initiator.ts';
import type { LogEnding } from '../domain/logs/log-events.ts';
import type { StoredLine } from '../domain/logs/log-intake.ts';
import type { LogPage } from '../domain/logs/log-window.ts';

/** Makes an interface usable as the type of a Durable Object namespace. */
type DurableObject = Rpc.DurableObjectBranded;

/** The connecting runner, read from D1 by the Worker. Sent to the hub as JSON in the header `x-longshore-connection`. */
export const connectionSchema = z.object({
  runnerId: z.string(),
  identityKey: z.string(),
  /** The origin under which the runner reached the control plane; it is part of the signature. */
  audience: z.string(),
});
export type Connection = z.infer<typeof connectionSchema>;

/**
 * The result of a request to a host. `runner_offline`: the host is not connected, so nothing was sent. `timeout`: the request was sent but
 * not answered, so it is unknown whether the host acted. All other codes are from the host.
 */
export type HostAnswer = { ok: true; value: unknown } | { ok: false; code: string; message: string };

/** Settings that a host applies itself; its hub reads them from D1. */
export type HostSetting = 'alert-rules' | 'log-drains';

/** The requests to a host through its hub. Every call is safe to repeat; the rows in D1 are the source of truth. */
export interface HostCalls {
  /** Starts a search in D1 for this host's work, and returns at once. */
  wake(runnerId: string): Promise<void>;
  /** Tells the host to stop a job whose row already has `abort_requested_at`. */
  abortJob(runnerId: string, jobId: string): Promise<void>;
  /** Reports that a client reads this job's log: the host then sends it every 250 ms until it is told to stop. */
  watchLog(runnerId: string, jobId: string): Promise<void>;
  /**
   * Sends a pending `host_tasks` row now and waits for the end of the task.
   * @returns the host's proxy result; `ok: false` with the reason if the host is offline or did not answer in time (the row remains, and
   * the
   *   task runs when the host reconnects)
   */
  runTask(runnerId: string, taskId: string, timeoutMs: number): Promise<ProxyResult>;
  /** Sends a request to the host and waits for its answer. */
  request(runnerId: string, request: HostRequest, timeoutMs: number): Promise<HostAnswer>;
  /**
   * Waits until the host has reported the end of this job and the end is stored.
   * @returns false if it has not ended after `timeoutMs`
   */
  jobEnds(runnerId: string, jobId: string, timeoutMs: number): Promise<boolean>;
  /** Whether the host is connected; a host without recent pings is not. */
  isConnected(runnerId: string): Promise<boolean>;
  /** Sends the host one of its settings. A disconnected host gets all of them when it connects. */
  sendSetting(runnerId: string, setting: HostSetting): Promise<void>;
  /** Closes the sockets of a revoked runner with close code 4003. */
  revoke(runnerId: string): Promise<void>;
}

/** One RunnerHub per runner. `fetch` opens the control socket: a WebSocket upgrade with a Connection in its header. */
export interface HubCalls extends HostCalls, DurableObject {
  /** Asks the host to send the log of a service's container. Returns false if it is not connected. */
  followContainer(serviceId: string, options: { after: number; lines: number }): Promise<boolean>;
}

/** Lines up to `through` are on disk. `watched`: whether the log has readers. `paceMs`: see `log-ack` in protocol/frames. */
export interface LogReceipt {
  through: number;
  watched: boolean;
  paceMs?: number;
}

/** The end of a log. Repeats change nothing. */
export interface LogEnd extends LogEnding {
  /** Added as the last line, from `system`. */
  line?: string;
  /** Replaces `line` in a log without lines. */
  lineIfEmpty?: string;
  /** The log's deployment, needed to check the log's age later. */
  deploymentId?: string;
}

/** `trouble`: why the archive could not be read; the log was then not ended. */
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
   * Stores a frame of lines; `first` is the id of `lines[0]`. Repeats are discarded. If lines before `first` are missing, nothing is
   * stored: continue after `through`. After the end, everything is acknowledged and discarded.
   */
  append(first: number, lines: LogLine[]): Promise<LogReceipt>;
  /** A page of lines above `after`, in order. `more`: whether lines remain. */
  read(after: number): Promise<{ lines: StoredLine[]; more: boolean }>;
  /** The same page as JSON text of deployment log entries. */
  readEntries(deploymentId: string, after: number, limit?: number): Promise<LogPage>;
  /** The last lines, in order: at least `chars` characters if there are that many. */
  readTail(chars: number): Promise<StoredLine[]>;
  /**
   * Ends the log: stores the buffer, adds `line`, sends the end to the readers and closes them. A log that was removed because of its age
   * gets its lines back from the archive. Repeats change nothing.
   */
  finish(end: LogEnd): Promise<LogFinish>;
  /** Empties the object and closes its readers. */
  purge(): Promise<void>;
}

/** One RuntimeLog per service. `fetch` opens a reader: a WebSocket upgrade with `?service=&runner=&after=&key=&max=`. */
export interface RuntimeLogCalls extends WrittenLog {
  /**
   * Accepts lines from a host, in the order of the calls. `watched`: whether there are still readers. Lines of a host that the readers did
   * not request are discarded, and `watched` is false for that host.
   */
  publish(
    runnerId: string,
    part: RunnerFrameOf<'runtime-logs'>['part'],
    lines: RuntimeLine[],
  ): Promise<{ watched: boolean; paceMs?: number }>;
  /** Ensures that the host still follows the container; ends the stream if the host is not connected. */
  keepFollowing(): Promise<void>;
  /** Reports that the service has moved to this host: informs the readers of its old host, and ends their streams. */
  moveTo(runnerId: string): Promise<void>;
}

/** The opener of a shell, and the shell's place. Stored in its object until the shell ends. */
export interface ShellSession {
  /** Who opened it; undefined in sessions from before this was recorded. */
  initiator?: Initiator;
  shellId: string;
  serviceId: string;
  runnerId: string;
  /** The command whose container belongs to the shell and ends with it; `null` for the live container. */
  runId: string | null;
  tenantId: string;
  keyId: string;
  /** Public part of the key's token. The session ends when the token is no longer valid for the service. */
  tokenId: string;
  requestId: string;
  /** The client's address, for the audit log. */
  address: string;
  createdAt: number;
}

/** One Shell per session. `fetch` opens one end: a WebSocket upgrade with `?side=host` or `?side=client`. */
export interface ShellCalls extends DurableObject {
  /** Begins a session, which ends if the two sides do not both connect. */
  begin(session: ShellSession): Promise<void>;
  /** Discards the session, because the host opened nothing. */
  discard(): Promise<void>;
}

/** One Transfer per transfer; everything passes through `fetch`. */
export interface TransferCalls extends DurableObject {}
