/** An estimate of what Cloudflare bills for this instance, from what it counts itself. What it can't count is named. */

/** Where the prices are from, and when they were read. */
export const priceSource = {
  url: 'https://developers.cloudflare.com/workers/platform/pricing/',
  readOn: '2026-11-22',
};
/** Dollars a month of the paid plan, whatever is used. */
export const planDollars = 5;
/** Requests are counted over so many days. */
export const countedDays = 30;

const gigabyte = 1e9;

/** Dollars for each `per` above what a month of the paid plan includes. */
const prices = {
  /** Of Durable Objects: those of logs, counted by samples. */
  objectRequests: { dollars: 0.15, per: 1e6, included: 1e6 },
  /** Deployment logs in Durable Objects. */
  logBytes: { dollars: 0.2, per: gigabyte, included: 5 * gigabyte },
  /** The database (D1). */
  databaseBytes: { dollars: 0.75, per: gigabyte, included: 5 * gigabyte },
  /** Copies of backups in the Worker's own bucket (R2). */
  backupBytes: { dollars: 0.015, per: gigabyte, included: 10 * gigabyte },
} as const;

export const countedNames = ['objectRequests', 'logBytes', 'databaseBytes', 'backupBytes'] as const;
export type CountedUse = Record<(typeof countedNames)[number], number>;

/** What is billed and no one here counts. */
export const notCounted = [
  'workerRequests',
  'objectSeconds',
  'rowsRead',
  'rowsWritten',
  'logArchive',
] as const;

export interface CostItem {
  name: (typeof countedNames)[number];
  used: number;
  included: number;
  dollars: number;
}

/** @param used requests of a month, and what is stored now */
export function estimateCosts(used: CountedUse): { items: CostItem[]; dollarsPerMonth: number } {
  const items = countedNames.map((name) => {
    const { dollars, per, included } = prices[name];
    return {
      name,
      used: used[name],
      included,
      dollars: cents((Math.max(0, used[name] - included) / per) * dollars),
    };
  });
  const sum = items.reduce((all, { dollars }) => all + dollars, planDollars);
  return { items, dollarsPerMonth: cents(sum) };
}

const cents = (dollars: number) => Math.round(dollars * 100) / 100;
