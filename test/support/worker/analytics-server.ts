/**
 * Cloudflare's GraphQL Analytics API as its documentation shows it (https://developers.cloudflare.com/analytics/graphql-api/): refusals have
 * the documented status and sentence. It knows the fields in its pages and its published schema.
 */

export const analyticsToken = 'cf-analytics-canary-4Xk';
export const analyticsAccount = '0123456789abcdef0123456789abcdef';

const question =
  /^\{ viewer \{ accounts\(filter: \{ accountTag: "([^"]*)" \}\) \{ (\w+)\(limit: (\d+), filter: \{ date_geq: "(\d{4}-\d\d-\d\d)", date_leq: "(\d{4}-\d\d-\d\d)" \}\) \{ sum \{ ([\w ]+) \} \} \} \} \}$/;

/** How many days data is kept, and how many days one query may cover. */
const daysMax = 31;
const limitMax = 10_000;

type Sums = Record<string, number>;

export class AnalyticsServer {
  readonly datasets: Record<string, Sums> = {
    workersInvocationsAdaptive: { requests: 0, errors: 0, subrequests: 0, cpuTimeUs: 0 },
    durableObjectsPeriodicGroups: { activeTime: 0, cpuTime: 0, duration: 0, rowsRead: 0, rowsWritten: 0 },
    d1AnalyticsAdaptiveGroups: { readQueries: 0, writeQueries: 0, rowsRead: 0, rowsWritten: 0 },
  };
  /** The requested days. */
  readonly asked: string[] = [];
  /** Answers like an account without any use. */
  isEmpty = false;

  readonly fetch = async (request: Request): Promise<Response> => {
    if (request.url !== 'https://api.cloudflare.com/client/v4/graphql') throw new TypeError('no such host');
    if (request.method !== 'POST') return refusal(405, 'Method not allowed');
    if (request.headers.get('authorization') !== `Bearer ${analyticsToken}`) {
      return refusal(401, 'Unauthorized');
    }
    const { query } = (await request.json()) as { query: string };
    const [, account, dataset = '', limit, first = '', last = '', fields = ''] = question.exec(query) ?? [];
    if (account === undefined) return refusal(400, 'query contains error, please review it and retry');
    if (account !== analyticsAccount) return refusal(403, 'not authorized for that account');
    const sums = this.datasets[dataset];
    if (!sums) return refusal(400, `unknown field "${dataset}"`);
    const unknown = fields.split(' ').find((field) => !(field in sums));
    if (unknown !== undefined) return refusal(400, `unknown field "${unknown}"`);
    if (Number(limit) < 1 || Number(limit) > limitMax) {
      return refusal(400, `limit must be positive number and not greater than ${limitMax}`);
    }
    const days = (Date.parse(last) - Date.parse(first)) / 86_400_000 + 1;
    if (days > daysMax) return refusal(400, 'query time range is too large');
    this.asked.push(`${dataset} ${first} ${last}`);
    const sum = Object.fromEntries(fields.split(' ').map((field) => [field, sums[field]]));
    const rows = this.isEmpty ? [] : [{ sum }];
    return Response.json({ data: { viewer: { accounts: [{ [dataset]: rows }] } }, errors: null });
  };
}

const refusal = (status: number, message: string) =>
  Response.json(
    {
      data: null,
      errors: [{ message, path: null, extensions: { timestamp: '2026-11-28T12:00:00.1Z' } }],
    },
    { status },
  );
