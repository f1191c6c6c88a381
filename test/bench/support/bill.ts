/** From counts to dollars. */
import { readFileSync } from 'node:fs';
import type { MeterReading } from '../../support/worker/meter-reading.ts';
import {
  type Billed,
  baseDollars,
  freeBudgets,
  messagesPerRequest,
  objectGb,
  prices,
} from './cloudflare-prices.ts';
import { round } from './numbers.ts';

const kinds = Object.keys(prices) as (keyof Billed)[];
const wranglerFile = new URL('../../../wrangler.toml', import.meta.url);
/** Whether each request, RPC call, message, alarm and cron run is an event of Workers Logs. */
const logsInvocations = !/^\s*invocation_logs\s*=\s*false/m.test(readFileSync(wranglerFile, 'utf8'));

/** What the platform bills for a reading of the meter. */
export function billedOf({ workerRequests, cronRuns, d1, objects, logLines }: MeterReading): Billed {
  const all = Object.values(objects);
  const sum = (value: (one: (typeof all)[number]) => number) =>
    all.reduce((total, one) => total + value(one), 0);
  const calls = sum(({ requests, rpcCalls, alarms }) => requests + rpcCalls + alarms);
  const messages = sum((one) => one.messages);
  return {
    workerRequests: workerRequests + cronRuns,
    objectRequests: calls + messages / messagesPerRequest,
    objectGbSeconds: (sum(({ activeMs }) => activeMs) / 1000) * objectGb,
    objectRowsWritten: sum(({ rowsWritten }) => rowsWritten),
    objectGbStored: (objects.LogStream?.bytesStored ?? 0) / 1e9,
    d1RowsRead: d1.rowsRead,
    d1RowsWritten: d1.rowsWritten,
    logEvents: logLines + (logsInvocations ? workerRequests + cronRuns + calls + messages : 0),
  };
}

export const times = (billed: Billed, factor: number): Billed => mapped((kind) => billed[kind] * factor);

export const plus = (...all: Billed[]): Billed =>
  mapped((kind) => all.reduce((sum, billed) => sum + billed[kind], 0));

/** Dollars of a month. @param storedShare of what the month stores, how much is there on average */
export function dollars(month: Billed, storedShare: number): Record<keyof Billed | 'base' | 'all', number> {
  const each = mapped((kind) => {
    const { dollars: price, per, included } = prices[kind];
    const used = kind === 'objectGbStored' ? month[kind] * storedShare : month[kind];
    return round((Math.max(0, used - included) / per) * price, 2);
  });
  const all = kinds.reduce((sum, kind) => sum + each[kind], baseDollars);
  return { ...each, base: baseDollars, all: round(all, 2) };
}

/** How much of the free plan's budgets a day takes; 1: all of it. */
export const freeShares = (day: Billed): Billed => mapped((kind) => round(day[kind] / freeBudgets[kind], 4));

const mapped = (value: (kind: keyof Billed) => number): Billed =>
  Object.fromEntries(kinds.map((kind) => [kind, value(kind)])) as unknown as Billed;
