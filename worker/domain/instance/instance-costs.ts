/** An estimate of Cloudflare's bill, from the instance's own counts and Cloudflare's measurements. Uncounted parts are listed. */

/** Source of the prices, and the date on which they were read. */
export const priceSource = {
  url: 'https://developers.cloudflare.com/workers/platform/pricing/',
  readOn: '2026-11-22',
};
/** Dollars a month of the paid plan, independent of use. */
export const planDollars = 5;
/** Number of days over which requests are counted. */
export const countedDays = 30;

const gigabyte = 1e9;

const million = 1e6;

/** Dollars for each `per` above what a month of the paid plan includes. */
const prices = {
  /** Requests to Durable Objects: only to those of logs, estimated from samples. */
  objectRequests: { dollars: 0.15, per: million, included: million },
  /** Deployment logs in Durable Objects. */
  logBytes: { dollars: 0.2, per: gigabyte, included: 5 * gigabyte },
  /** The database (D1). */
  databaseBytes: { dollars: 0.75, per: gigabyte, included: 5 * gigabyte },
  /** Copies of backups in the Worker's own bucket (R2). */
  backupBytes: { dollars: 0.015, per: gigabyte, included: 10 * gigabyte },
  workerRequests: { dollars: 0.3, per: million, included: 10 * million },
  workerCpuMs: { dollars: 0.02, per: million, included: 30 * million },
  /** GB-seconds of Durable Objects: each counts as 128 MB, whatever it uses. */
  objectSeconds: { dollars: 12.5, per: million, included: 400_000 },
  /** Rows of the database (D1). */
  rowsRead: { dollars: 0.001, per: million, included: 25_000 * million },
  rowsWritten: { dollars: 1, per: million, included: 50 * million },
  /** Rows of Durable Objects. */
  objectRowsRead: { dollars: 0.001, per: million, included: 25_000 * million },
  objectRowsWritten: { dollars: 1, per: million, included: 50 * million },
} as const;

/** Values that the instance counts itself. */
export const countedNames = ['objectRequests', 'logBytes', 'databaseBytes', 'backupBytes'] as const;
export type CountedUse = Record<(typeof countedNames)[number], number>;

/** Values that only Cloudflare counts, read from its Analytics API if the operator allows that. */
export const measuredNames = [
  'workerRequests',
  'workerCpuMs',
  'objectSeconds',
  'rowsRead',
  'rowsWritten',
  'objectRowsRead',
  'objectRowsWritten',
] as const;
export type MeasuredUse = Partial<Record<(typeof measuredNames)[number], number>>;

/** Billed as well, but not counted anywhere here. */
const neverCounted = ['logArchive'] as const;
export const uncountedNames = [...measuredNames, ...neverCounted] as const;

export interface CostItem {
  name: (typeof countedNames)[number] | (typeof measuredNames)[number];
  source: 'longshore' | 'cloudflare';
  used: number;
  included: number;
  dollars: number;
}

export interface Costs {
  items: CostItem[];
  dollarsPerMonth: number;
  notCounted: (typeof uncountedNames)[number][];
}

/**
 * @param counted requests of a month, and present storage
 * @param measured of the same month; absent values are reported as not counted
 */
export function estimateCosts(counted: CountedUse, measured: MeasuredUse = {}): Costs {
  const items = [
    ...countedNames.map((name) => itemOf(name, 'longshore', counted[name])),
    ...measuredNames.flatMap((name) => {
      const used = measured[name];
      return used === undefined ? [] : [itemOf(name, 'cloudflare', used)];
    }),
  ];
  const sum = items.reduce((all, { dollars }) => all + dollars, planDollars);
  const notCounted = [...measuredNames.filter((name) => measured[name] === undefined), ...neverCounted];
  return { items, dollarsPerMonth: cents(sum), notCounted };
}

function itemOf(name: CostItem['name'], source: CostItem['source'], used: number): CostItem {
  const { dollars, per, included } = prices[name];
  const above = Math.max(0, used - included);
  return { name, source, used: Math.round(used), included, dollars: cents((above / per) * dollars) };
}

const cents = (dollars: number) => Math.round(dollars * 100) / 100;
