/**
 * What Cloudflare charges, read on 2026-11-22. Months have 30 days.
 * https://developers.cloudflare.com/workers/platform/pricing, /durable-objects/platform/pricing, /d1/platform/pricing and
 * /workers/observability/logs/workers-logs
 */

/** What is billed, for any span of time. */
export interface Billed {
  workerRequests: number;
  objectRequests: number;
  objectGbSeconds: number;
  objectRowsWritten: number;
  objectGbStored: number;
  d1RowsRead: number;
  d1RowsWritten: number;
  logEvents: number;
}

/** Dollars a month of the paid plan, whatever is used. */
export const baseDollars = 5;
/** Dollars each million (storage: each GB), and how much of it a month includes. */
export const prices: Record<keyof Billed, { dollars: number; included: number; per: number }> = {
  workerRequests: { dollars: 0.3, per: 1e6, included: 10e6 },
  objectRequests: { dollars: 0.15, per: 1e6, included: 1e6 },
  objectGbSeconds: { dollars: 12.5, per: 1e6, included: 400_000 },
  objectRowsWritten: { dollars: 1, per: 1e6, included: 50e6 },
  objectGbStored: { dollars: 0.2, per: 1, included: 5 },
  d1RowsRead: { dollars: 0.001, per: 1e6, included: 25e9 },
  d1RowsWritten: { dollars: 1, per: 1e6, included: 50e6 },
  logEvents: { dollars: 0.6, per: 1e6, included: 20e6 },
};
/** A day of the free plan; storage: in all. */
export const freeBudgets: Record<keyof Billed, number> = {
  workerRequests: 100_000,
  objectRequests: 100_000,
  objectGbSeconds: 13_000,
  objectRowsWritten: 100_000,
  objectGbStored: 5,
  d1RowsRead: 5e6,
  d1RowsWritten: 100_000,
  logEvents: 200_000,
};
/** Incoming WebSocket messages per request; an RPC call, an alarm and a connection are one request each. */
export const messagesPerRequest = 20;
/** An active object is billed for 128 MB, whatever it uses. */
export const objectGb = 0.128;
