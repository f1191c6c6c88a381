/** What Cloudflare measures of an account, asked from a stand-in that refuses as its documentation says. */
import { beforeEach, expect, test } from 'vitest';
import { createAccountAnalytics } from '../../../worker/gateways/account-analytics.ts';
import { AnalyticsServer, analyticsAccount, analyticsToken } from '../../support/worker/analytics-server.ts';

const days = { first: '2026-10-30', last: '2026-11-28' };
let server: AnalyticsServer;

beforeEach(() => {
  server = new AnalyticsServer();
});

function read(accountId: string, token: string, fetch = server.fetch) {
  const outside = { fetch, pause: async () => {}, timeLimitMs: 30_000 };
  return createAccountAnalytics(outside, { accountId, token })?.read(days);
}

test('what is measured is read in the units that are billed, each dataset by itself', async () => {
  server.datasets.workersInvocationsAdaptive = { requests: 12_000_000, cpuTimeUs: 90_000_000_000 };
  server.datasets.durableObjectsPeriodicGroups = { duration: 450_000.5, rowsRead: 7, rowsWritten: 8 };
  server.datasets.d1AnalyticsAdaptiveGroups = { rowsRead: 9, rowsWritten: 60_000_000 };
  expect(await read(` ${analyticsAccount.toUpperCase()}\n`, `${analyticsToken}\n`)).toEqual({
    use: {
      workerRequests: 12_000_000,
      workerCpuMs: 90_000_000,
      objectSeconds: 450_000.5,
      objectRowsRead: 7,
      objectRowsWritten: 8,
      rowsRead: 9,
      rowsWritten: 60_000_000,
    },
    problem: null,
  });
  expect(server.asked.sort()).toEqual([
    'd1AnalyticsAdaptiveGroups 2026-10-30 2026-11-28',
    'durableObjectsPeriodicGroups 2026-10-30 2026-11-28',
    'workersInvocationsAdaptive 2026-10-30 2026-11-28',
  ]);
});

test('an account that has used nothing has used nothing, which is not a problem', async () => {
  server.isEmpty = true;
  expect(await read(analyticsAccount, analyticsToken)).toMatchObject({
    use: { workerRequests: 0, rowsWritten: 0 },
    problem: null,
  });
});

test('a dataset that is refused hides no other, and says what was refused', async () => {
  delete server.datasets.durableObjectsPeriodicGroups;
  const answer = await read(analyticsAccount, analyticsToken);
  expect(answer?.use).toEqual({ workerRequests: 0, workerCpuMs: 0, rowsRead: 0, rowsWritten: 0 });
  expect(answer?.problem).toContain('unknown field "durableObjectsPeriodicGroups".');
});

const permission = 'The token needs the permission Account Analytics: Read.';
test.for([
  ['a wrong token', analyticsAccount, 'cf-wrong-canary', /\(HTTP 401\): Unauthorized\. Check .*TOKEN/],
  ['an account of somebody else', 'f'.repeat(32), analyticsToken, /\(HTTP 403\): not authorized for that/],
  ['no account', '', analyticsToken, /CLOUDFLARE_ACCOUNT_ID .* must be the 32 characters/],
  ['an account that would leave its place', `${'f'.repeat(31)}"`, analyticsToken, /CLOUDFLARE_ACCOUNT_ID/],
  ['no token', analyticsAccount, '', /CLOUDFLARE_ANALYTICS_TOKEN of the Worker is not set/],
  ['a token of two lines', analyticsAccount, 'cf-canary\nx', /has characters that no token has/],
] as const)(
  '%s is a sentence that names the secret, and never shows it',
  async ([, account, token, problem]) => {
    const answer = await read(account, token);
    expect(answer?.use).toEqual({});
    expect(answer?.problem).toMatch(problem);
    expect(answer?.problem).not.toContain('canary');
    if (answer?.problem?.includes('HTTP')) expect(answer.problem).toContain(permission);
  },
);

test.for([
  [
    'errors in an answer of 200',
    () => Response.json({ data: null, errors: [{ message: 'does not have access to the path' }] }),
    'does not have access',
  ],
  [
    'an account that is not there',
    () => Response.json({ data: { viewer: { accounts: [] } }, errors: null }),
    'has nothing about this account',
  ],
  ['a page in place of JSON', () => new Response('<html>'), 'not understood: try again later.'],
  [
    'too many questions',
    () => Response.json({ errors: [{ message: 'budget depleted' }] }, { status: 429 }),
    'refuses more requests for now: try again later.',
  ],
  ['a failure there', () => new Response('', { status: 503 }), 'answered with HTTP 503: try again later.'],
] as const)('%s is told', async ([, respond, words]) => {
  const answer = await read(analyticsAccount, analyticsToken, async () => respond());
  expect(answer).toEqual({ use: {}, problem: expect.stringContaining(words) });
});

test('nobody is asked while no secret is set', () => {
  expect(read('', '')).toBeUndefined();
});
