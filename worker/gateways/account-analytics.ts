/**
 * Cloudflare's measurements of the account, from its GraphQL Analytics API: https://developers.cloudflare.com/analytics/graphql-api/, errors as
 * in https://developers.cloudflare.com/analytics/graphql-api/errors/. Based on these pages, and not tested with a real account yet. Each dataset
 * has its own request, so that a failure affects no other dataset.
 */
import { z } from 'zod';
import { ApiError } from '../domain/errors.ts';
import type { MeasuredUse } from '../domain/instance/instance-costs.ts';
import { type Outside, ProviderHttp, presentable } from './dns/provider-http.ts';

export interface AccountAnalytics {
  /** @param days the first and the last day, as `2026-11-28` @returns the measurements, and why some are missing. Never rejects. */
  read(days: { first: string; last: string }): Promise<{ use: MeasuredUse; problem: string | null }>;
}

/** Secrets of the Worker. */
export interface AnalyticsSecrets {
  accountId: string | undefined;
  token: string | undefined;
}

interface Dataset {
  name: string;
  /** The dataset's fields, and their names here. */
  fields: Record<string, { name: keyof MeasuredUse; per?: number }>;
}

const datasets: readonly Dataset[] = [
  {
    name: 'workersInvocationsAdaptive',
    fields: { requests: { name: 'workerRequests' }, cpuTimeUs: { name: 'workerCpuMs', per: 1_000 } },
  },
  {
    name: 'durableObjectsPeriodicGroups',
    fields: {
      duration: { name: 'objectSeconds' },
      rowsRead: { name: 'objectRowsRead' },
      rowsWritten: { name: 'objectRowsWritten' },
    },
  },
  {
    name: 'd1AnalyticsAdaptiveGroups',
    fields: { rowsRead: { name: 'rowsRead' }, rowsWritten: { name: 'rowsWritten' } },
  },
];

/** Without dimensions the answer is one row: the sum of all. */
const rowsMax = 100;

const problemsSchema = z.object({ errors: z.array(z.object({ message: z.string() })).min(1) });
const answerSchema = z.object({
  data: z
    .object({
      viewer: z.object({
        accounts: z.array(z.record(z.string(), z.array(z.object({ sum: z.record(z.string(), z.number()) })))),
      }),
    })
    .nullable()
    .default(null),
  errors: z.array(z.object({ message: z.string() })).nullish(),
});

const advice =
  'Check the secrets CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_ANALYTICS_TOKEN of the Worker. The token needs the permission Account Analytics: Read.';

/** @returns undefined if no secret is set */
export function createAccountAnalytics(
  outside: Outside,
  secrets: AnalyticsSecrets,
): AccountAnalytics | undefined {
  const accountId = secrets.accountId?.trim().toLowerCase() ?? '';
  const token = secrets.token?.trim() ?? '';
  if (accountId === '' && token === '') return undefined;
  const wrong = wrongSecret(accountId, token);
  if (wrong !== undefined) return { read: async () => ({ use: {}, problem: wrong }) };
  const http = new ProviderHttp(outside, {
    name: 'Cloudflare',
    baseUrl: 'https://api.cloudflare.com/client/v4',
    headers: { authorization: `Bearer ${token}` },
    secrets: [token],
    refusalIn: (body) => problemsSchema.safeParse(body).data?.errors[0]?.message,
  });
  return {
    async read(days) {
      const asked = datasets.map((dataset) => readDataset(http, dataset, queryOf(accountId, dataset, days)));
      const answers = await Promise.allSettled(asked);
      const use = Object.assign({}, ...answers.map((one) => (one.status === 'fulfilled' ? one.value : {})));
      const failed = answers.find((one) => one.status === 'rejected');
      return { use, problem: failed ? sentenceOf(failed.reason, token) : null };
    },
  };
}

/** The name of a secret that can't be valid, before any request. */
function wrongSecret(accountId: string, token: string): string | undefined {
  if (!/^[0-9a-f]{32}$/.test(accountId)) {
    return 'The secret CLOUDFLARE_ACCOUNT_ID of the Worker must be the 32 characters of the account id.';
  }
  if (token === '') return 'The secret CLOUDFLARE_ANALYTICS_TOKEN of the Worker is not set.';
  if (!/^[\x21-\x7e]+$/.test(token)) {
    return 'The secret CLOUDFLARE_ANALYTICS_TOKEN of the Worker has characters that no token has.';
  }
  return undefined;
}

const queryOf = (
  accountId: string,
  { name, fields }: Dataset,
  { first, last }: { first: string; last: string },
) =>
  `{ viewer { accounts(filter: { accountTag: "${accountId}" }) { ${name}(limit: ${rowsMax}, filter: { date_geq: "${first}", date_leq: "${last}" }) { sum { ${Object.keys(fields).join(' ')} } } } } }`;

/** @throws ApiError */
async function readDataset(
  http: ProviderHttp,
  { name, fields }: Dataset,
  query: string,
): Promise<MeasuredUse> {
  const { data, errors } = await http.ask('/graphql', { query }, answerSchema);
  const [error] = errors ?? [];
  if (error) throw new ApiError('provider_refused', `Cloudflare refused: ${error.message}`);
  const [account] = data?.viewer.accounts ?? [];
  const rows = account?.[name];
  if (!rows) throw new ApiError('provider_refused', 'Cloudflare has nothing about this account.');
  const use: MeasuredUse = {};
  for (const [field, { name: as, per = 1 }] of Object.entries(fields)) {
    use[as] = rows.reduce((all, { sum }) => all + (sum[field] ?? 0), 0) / per;
  }
  return use;
}

function sentenceOf(error: unknown, token: string): string {
  if (!(error instanceof ApiError)) throw error;
  const sentence = presentable(error.message, [token]);
  return error.code === 'provider_refused' ? `${sentence} ${advice}` : sentence;
}
