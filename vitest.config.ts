import { defineConfig } from 'vitest/config';
import { commitNumber, everything } from './test/support/commit-share.ts';
import { LongestFirst } from './test/support/longest-first.ts';
import { trustingMailServers } from './test/support/mail-certificate.ts';

const { cloudflareTest, readD1Migrations } = await trustingMailServers(
  () => import('@cloudflare/vitest-pool-workers'),
);
const migrations = await readD1Migrations('./migrations');

/** Rounds of the races that a test repeats. */
const races = everything ? 1_000 : Number(process.env.TEST_RACES ?? 50);

/** Secrets of the Worker under test; only here and in test/worker. */
const testSecrets = {
  OPERATOR_TOKEN: 'test-operator-token-0123456789abcdef',
  ENCRYPTION_KEY: 'dGVzdC1lbmNyeXB0aW9uLWtleS0wMTIzNDU2Nzg5YWI', // 32 bytes, base64url
};

/** Bundled once: workerd gets the Worker's packages as a few files instead of hundreds of modules, each of which is a question to vite. */
const packagesOfWorker = [
  '@ai-sdk/anthropic',
  '@ai-sdk/openai-compatible',
  '@ai-sdk/provider',
  'aws4fetch',
  'drizzle-orm',
  'drizzle-orm/batch',
  'drizzle-orm/d1',
  'drizzle-orm/runnable-query',
  'drizzle-orm/sqlite-core',
  'fast-check',
  'hono',
  'hono/cors',
  'hono/html',
  'hono/method-not-allowed',
  'hono/request-id',
  'hono/utils/encode',
  'hono/utils/html',
  'ipaddr.js',
  'tldts',
  'zod',
];

/** A test that takes milliseconds here may wait for seconds on a shared machine; what hangs is found all the same. */
const noisyMachineMs = 30_000;

/** Vitest's own limits are 1 s for a poll and 10 s for a hook, which a busy machine exceeds. A poll ends before its test, and says what it saw. */
const patience = { hookTimeout: noisyMachineMs, expect: { poll: { timeout: 20_000 } } };

/** Three files at a time: most of their time is spent waiting for Docker, a database or a proxy. Files of both projects share the places. */
const shareDocker = { maxWorkers: 3, sequence: { groupOrder: 2 } };

/**
 * `workers`: in workerd, with D1 and Durable Objects. `node`: in one process, seconds. `processes`: starts the product's own programs,
 * without Docker. `docker`: real Docker, Caddy, engines and git hosts. `e2e`: the real Worker with real runner processes. `soak`: minutes,
 * and what the other engines do after the model of the first ones, for `npm run test:all`. A file's suffix says where it belongs.
 */
export default defineConfig({
  test: {
    // More than the two processors of the smallest machine: most tests wait for a process, a socket or a disk. Those with Docker run beside them.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    tags: [
      {
        name: 'slow',
        description:
          'Takes 0.3 seconds or more, or tries every route: `npm test` runs it, `npm run test:fast` does not.',
      },
    ],
    projects: [
      {
        plugins: [
          cloudflareTest({
            wrangler: { configPath: './wrangler.toml' },
            miniflare: {
              cf: false,
              bindings: {
                ...testSecrets,
                TEST_MIGRATIONS: migrations,
                TEST_RACES: races,
                TEST_EVERYTHING: everything,
                TEST_COMMIT: commitNumber,
              },
            },
          }),
        ],
        test: {
          name: 'workers',
          include: ['test/worker/**/*.test.ts'],
          setupFiles: ['test/worker/setup.ts'],
          globalSetup: [
            'test/support/servers/receiver-for-workers.ts',
            'test/support/servers/s3-for-workers.ts',
            'test/support/servers/mail-for-workers.ts',
            'test/support/servers/status-hosts.ts',
          ],
          // One workerd per processor, which loads the Worker once: a workerd per file took three times the CPU.
          isolate: false,
          deps: { optimizer: { ssr: { enabled: true, include: packagesOfWorker } } },
          maxWorkers: 2,
          sequence: { groupOrder: 1 }, // projects with other `maxWorkers` run after one another
          testTimeout: noisyMachineMs,
          ...patience,
        },
      },
      {
        test: {
          name: 'node',
          include: [
            'test/{protocol,client,cli,dashboard,runner,host,local,architecture,reliability,stand-ins}/**/*.test.ts',
          ],
          exclude: ['**/*.docker.test.ts', '**/*.process.test.ts', '**/*.soak.test.ts'],
          setupFiles: ['test/support/runner/setup.ts'],
          pool: 'forks',
          isolate: false, // a process for many files: half the time; no module keeps anything from test to test
          testTimeout: noisyMachineMs,
          ...patience,
        },
      },
      {
        test: {
          name: 'processes',
          include: ['test/{client,cli,dashboard,runner,host,local,reliability}/**/*.process.test.ts'],
          pool: 'forks',
          isolate: false,
          testTimeout: noisyMachineMs,
          ...patience,
        },
      },
      {
        test: {
          name: 'docker',
          globalSetup: ['test/support/docker/host-setup.ts'],
          include: ['test/{runner,host,local,stand-ins}/**/*.docker.test.ts'],
          pool: 'forks',
          testTimeout: 120_000,
          ...patience,
          hookTimeout: 600_000,
          ...shareDocker,
        },
      },
      {
        test: {
          name: 'e2e',
          globalSetup: ['test/support/docker/host-setup.ts'],
          include: ['test/e2e/**/*.test.ts'],
          exclude: ['**/*.soak.test.ts'],
          pool: 'forks',
          testTimeout: 180_000,
          ...patience,
          hookTimeout: 600_000,
          ...shareDocker,
        },
      },
      {
        test: {
          name: 'soak',
          globalSetup: ['test/support/docker/host-setup.ts'],
          include: ['test/soak/**/*.test.ts', 'test/{runner,e2e,local}/**/*.soak.test.ts'],
          pool: 'forks',
          testTimeout: 1_200_000,
          ...patience,
          hookTimeout: 600_000,
          fileParallelism: false, // their engines, kills and faults need the machine for themselves
        },
      },
    ],
  },
});
