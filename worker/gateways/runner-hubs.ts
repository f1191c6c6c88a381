/** How use cases reach the hosts: one RunnerHub object a runner. Every call is safe to repeat; rows in D1 stay the truth. */
import type { ProxyResult } from '../../protocol/host-task.ts';

export interface RunnerHubs {
  /** Looks for work for this host now. Never throws: a lost wake-up is made good by hello and by cron. */
  wake(runnerId: string): Promise<void>;
  /** Tells the host to stop a job whose row already carries `abort_requested_at`. Never throws. */
  abortJob(runnerId: string, jobId: string): Promise<void>;
  /** Somebody reads this job's log: the host flushes every 50 ms until told otherwise. Never throws. */
  watchLog(runnerId: string, jobId: string): Promise<void>;
  /**
   * Sends a pending `host_tasks` row now and waits for its end.
   * @returns the host's proxy result; `ok: false` with the reason when the host is offline or did not answer in time
   *   (the row stays and is done on its return).
   */
  runTask(runnerId: string, taskId: string, timeoutMs: number): Promise<ProxyResult>;
  isConnected(runnerId: string): Promise<boolean>;
  /** Closes the socket for good (close code 4003). */
  revoke(runnerId: string): Promise<void>;
}
