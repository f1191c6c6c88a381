import { defineConfig } from 'vitest/config';
import { testProjects } from './local/test-projects.ts';
import { byLevel, level } from './test/support/level.ts';
import { LongestFirst } from './test/support/longest-first.ts';
import { trustingMailServers } from './test/support/mail-certificate.ts';

const { cloudflareTest, readD1Migrations } = await trustingMailServers(
  () => import('@cloudflare/vitest-pool-workers'),
);
const migrations = await readD1Migrations('./migrations');

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

/** Three files at a time: most of their time is spent waiting for Docker, a database or a proxy. The machine has ports for eight runners. */
const shareDocker = { maxWorkers: 3, sequence: { groupOrder: 2 } };

export default defineConfig({
  test: {
    // More than the two processors of the smallest machine: most tests wait for a process, a socket or a disk. Those with Docker run beside them.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // A reason is told whole: `[ Array(1) ]` is all that a run elsewhere would leave of it.
    chaiConfig: { truncateThreshold: 1_000 },
    tags: [
      {
        name: 'slow',
        description:
          'Takes 0.3 seconds or more, or tries every route: `npm test` runs it, `npm run test:fast` does not.',
      },
      {
        name: 'matrix',
        description:
          '`npm test` tries a fixed part of it, `npm run test:all` more or the whole (test/support/level.ts).',
      },
    ],
    projects: [
      {
        plugins: [
          cloudflareTest({
            wrangler: { configPath: './wrangler.toml' },
            miniflare: {
              cf: false,
              bindings: { ...testSecrets, TEST_MIGRATIONS: migrations, TEST_LEVEL: level }, // workerd has them in process.env
            },
          }),
        ],
        test: {
          name: 'workers',
          ...testProjects.workers,
          setupFiles: ['test/worker/setup.ts'],
          globalSetup: [
            'test/support/servers/receiver-for-workers.ts',
            'test/support/servers/s3-for-workers.ts',
            'test/support/servers/mail-for-workers.ts',
            'test/support/servers/status-hosts.ts',
          ],
          // A workerd for many files, which loads the Worker once: a workerd per file took three times the CPU.
          isolate: false,
          deps: { optimizer: { ssr: { enabled: true, include: packagesOfWorker } } },
          testTimeout: byLevel({ test: noisyMachineMs, all: 600_000, everything: 3_600_000 }), // a whole matrix takes minutes
          ...patience,
        },
      },
      {
        test: {
          name: 'node',
          ...testProjects.node,
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
          ...testProjects.processes,
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
          ...testProjects.docker,
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
          ...testProjects.e2e,
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
          ...testProjects.soak,
          // A filter of the command line does not reach what a project includes.
          exclude: level === 'all' ? ['**/*.everything.test.ts'] : [],
          pool: 'forks',
          testTimeout: 1_200_000,
          ...patience,
          hookTimeout: 600_000,
          ...shareDocker,
        },
      },
    ],
  },
});
