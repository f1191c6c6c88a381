/**
 * Which soak files a run of `npm run test:all` has: those of each commit, and one of the shares, chosen by the commit. Six commits in a
 * row run every file; `TEST_EVERYTHING=1` and `npm run test:everything` run all at once. Prints the files when it is started as a program.
 *
 * The rule: what kills a program or loses data in the middle of work runs on each commit, for every engine, and so does each file that
 * draws its own share. The rest is divided so that the shares take the same time (seconds behind the files, on two processors that were
 * shared with a second run; alone about half). No file is left out: test/architecture/soak-shares.test.ts.
 */
import { commitShare } from './support/commit-share.ts';

export const eachCommit = [
  'test/soak/chaos.test.ts', // 100
  'test/soak/data-kill.test.ts', // 273
  'test/soak/database-restores.test.ts', // 80
  'test/soak/kill.test.ts', // 137
  'test/soak/stopped-data-jobs.test.ts', // 82
];

export const shares = [
  [
    'test/runner/jobs/data/drill.soak.test.ts', // 428
    'test/runner/jobs/data/imports/mysql-import.soak.test.ts', // 325
    'test/runner/engines/mysql-query.soak.test.ts', // 2
    'test/e2e/upgrade-window.soak.test.ts', // 180
    'test/runner/jobs/data/properties/mongodb.soak.test.ts', // 60
    'test/soak/many-services.test.ts', // 135
    'test/e2e/self-hosted.soak.test.ts', // 470
  ],
  [
    'test/soak/certificates.test.ts', // 380
    'test/e2e/packages.soak.test.ts', // 110
    'test/e2e/command-line/examples.soak.test.ts', // 60
    'test/e2e/command-line/mongosh.soak.test.ts', // 90
    'test/e2e/command-line/clickhouse-client.soak.test.ts', // 60
    'test/e2e/command-line/cut-uploads.soak.test.ts', // 60
    'test/runner/jobs/data/backups/mysql-backup.soak.test.ts', // 307
    'test/runner/jobs/data/backups/mysql-objects.soak.test.ts', // 62
    'test/soak/scheduled-command-kill.test.ts', // 170
    'test/soak/move.test.ts', // 265
    'test/soak/database-move.test.ts', // 105
  ],
  [
    'test/runner/jobs/data/backups/mongodb-backup.soak.test.ts', // 375
    'test/runner/jobs/data/backups/clickhouse-backup.soak.test.ts', // 239
    'test/runner/jobs/data/imports/redis-import-sources.soak.test.ts', // 74
    'test/runner/jobs/data/imports/clickhouse-import.soak.test.ts', // 38
    'test/runner/jobs/deploy/deploy-replicas.soak.test.ts', // 240
    'test/runner/jobs/deploy/deploy-held.soak.test.ts', // 120
    'test/runner/host/sleep/sleep.soak.test.ts', // 260
    'test/soak/dashboard-log.test.ts', // 60
    'test/soak/database-browsing.test.ts', // 33
    'test/runner/jobs/data/properties/mysql.soak.test.ts', // 106
  ],
  [
    'test/soak/faults.test.ts', // 241
    'test/soak/analyzed-apps.test.ts', // 320
    'test/runner/jobs/data/imports/mysql-file-import.soak.test.ts', // 195
    'test/runner/engines/silent-server.soak.test.ts', // 79
    'test/soak/database-engines.test.ts', // 20
    'test/soak/notices.test.ts', // 270
    'test/soak/wildcards.test.ts', // 230
    'test/runner/jobs/data/properties/postgres.soak.test.ts', // 56
  ],
  [
    'test/e2e/backup-events.soak.test.ts', // 194
    'test/runner/jobs/data/imports/mongodb-import.soak.test.ts', // 181
    'test/soak/analyzed-servers.test.ts', // 129
    'test/soak/analyzed-languages.test.ts', // 126
    'test/soak/partition.test.ts', // 81
    'test/runner/jobs/data/imports/mongodb-file-import.soak.test.ts', // 23
    'test/runner/jobs/deploy/deploy-pruned.soak.test.ts', // 22
    'test/runner/engines/clickhouse/exact-values.soak.test.ts', // 18
    'test/runner/jobs/data/imports/redis-file-import.soak.test.ts', // 15
    'test/runner/jobs/data/hostile-archives.soak.test.ts', // 45
    'test/runner/engines/timescale.soak.test.ts', // 8
    'test/e2e/published-apps.soak.test.ts', // 60
    'test/runner/jobs/data/properties/redis.soak.test.ts', // 18
    'test/runner/jobs/data/properties/clickhouse.soak.test.ts', // 20
    'test/runner/jobs/data/imports/timescale-import.soak.test.ts', // 3
    'test/runner/jobs/data/full-disk.soak.test.ts', // 600
    'test/runner/jobs/data/backups/bucket-away.soak.test.ts', // 280
    'test/runner/jobs/data/files/volume-full-disk.soak.test.ts', // 50
    'test/runner/jobs/data/imports/clickhouse-file-import.soak.test.ts', // 2
  ],
  [
    'test/runner/jobs/data/upgrade.soak.test.ts', // 500
    'test/runner/jobs/data/upgrade-engines.soak.test.ts', // 300
    'test/local/cloudflare/install.soak.test.ts', // 120
    'test/runner/jobs/data/backups/full-database.soak.test.ts', // 200
    'test/e2e/key-rotation.soak.test.ts', // 350
  ],
];

if (import.meta.main) console.log([...eachCommit, ...commitShare(shares, shares.length).flat()].join('\n'));
