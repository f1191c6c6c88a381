/** Reconnects per second that the instance can handle. Each needs about seven round trips, and D1 answers about 1,000 queries a second. */
const hostsPerSecond = 150;
/** A host that is disconnected this long loses no job, and is shown as offline only for a moment. */
const spreadMsMax = 60_000;
const spreadMsMin = 1_000;

/**
 * The time over which the hosts of an instance spread their first attempt to reconnect, in milliseconds: an update of the Worker closes the
 * sockets of all hosts at once (https://developers.cloudflare.com/durable-objects/best-practices/websockets/).
 * @param hosts number of hosts that may reconnect; an upper bound is enough
 */
export function reconnectSpreadMs(hosts: number): number {
  return Math.min(spreadMsMax, Math.max(spreadMsMin, Math.round((hosts / hostsPerSecond) * 1000)));
}
