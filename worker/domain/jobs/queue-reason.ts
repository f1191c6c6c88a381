/** The reason why a deployment waits, as a sentence: it is queued, or its host disconnected while it ran. */

export interface QueueFacts {
  /** Name of its host. */
  host: string;
  /** 0 or 1, as in the database. */
  isConnected: number;
  /** Epoch milliseconds. */
  disconnectedAt: number | null;
  isDrained: number;
  /** Why the host does no work; `null` if it works. */
  trouble: string | null;
  /** Whether the deployment runs on the host (0 or 1). */
  isActive: number;
  /** Whether another job of the service is running (0 or 1). */
  isServiceBusy: number;
}

export function queueReason({
  host,
  isConnected,
  disconnectedAt,
  isDrained,
  trouble,
  isActive,
  isServiceBusy,
}: QueueFacts): string {
  if (!isConnected) {
    const since = disconnectedAt === null ? '' : `, away since ${new Date(disconnectedAt).toISOString()}`;
    const next = isActive ? 'Whether it goes on or has failed is known' : 'It starts';
    return `Waits for the host "${host}"${since}. ${next} when the host is connected again.`;
  }
  if (trouble !== null) return `Waits for the host "${host}", which does no work: ${trouble}`;
  if (isDrained) {
    return `Waits for the host "${host}", which is drained: it starts no jobs until its "drained" is false.`;
  }
  if (isServiceBusy) return 'Waits for another job of this service to end.';
  return `Waits for a free place on the host "${host}".`;
}
