/** What a queued deployment waits for, as a sentence. */

export interface QueueFacts {
  /** Name of its host. */
  host: string;
  /** 0 or 1, as in the database. */
  isConnected: number;
  /** Epoch milliseconds. */
  disconnectedAt: number | null;
  isDrained: number;
  /** Another job of the service is running. */
  isServiceBusy: number;
}

export function queueReason({
  host,
  isConnected,
  disconnectedAt,
  isDrained,
  isServiceBusy,
}: QueueFacts): string {
  if (!isConnected) {
    const since = disconnectedAt === null ? '' : `, away since ${new Date(disconnectedAt).toISOString()}`;
    return `Waits for the host "${host}"${since}. It starts when the host is connected again.`;
  }
  if (isDrained) {
    return `Waits for the host "${host}", which is drained: it starts no jobs until its "drained" is false.`;
  }
  if (isServiceBusy) return 'Waits for another job of this service to end.';
  return `Waits for a free place on the host "${host}".`;
}
