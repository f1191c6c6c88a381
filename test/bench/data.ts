/**
 * Backups, restores, imports and downloads of a PostgreSQL of the given size, by a whole instance with its real runner; in turns with
 * the same tools by hand in the database's container; then an import of Redis. The runner's memory is watched all the while.
 */
import type { Json } from '../support/instance/longshore.ts';
import { type BenchDatabase, benchDatabase, inPostgres, removeVolumesOf } from './support/bench-database.ts';
import { type BenchInstance, withInstance } from './support/bench-instance.ts';
import { downloadRate } from './support/download-rate.ts';
import { inTurns } from './support/in-turns.ts';
import { type JobTimes, jobTimes } from './support/job-times.ts';
import { median, round } from './support/numbers.ts';
import { processesWith } from './support/process-use.ts';
import { redisImport } from './support/redis-import.ts';
import { type BenchReport, type Figure, say } from './support/report.ts';
import { watchRss } from './support/rss-watch.ts';

const goals = { timesTool: 1.1, timesPipe: 1.15, rssMb: 60 };
/** Of a row with its index, seen in PostgreSQL 17. */
const bytesPerRow = 240;
const handFile = '/tmp/hand.dump';

interface Scene {
  instance: BenchInstance;
  live: BenchDatabase;
  empty: BenchDatabase;
  rounds: number;
}

/** @param megabytes size of the database @param rounds pairs of each kind */
export async function benchData(megabytes: number, rounds: number): Promise<BenchReport> {
  const ids: string[] = [];
  const report = await withInstance(async (instance) => {
    const { body } = await instance.longshore.call('POST', '/api/projects', {
      name: 'Data',
      description: '',
    });
    const of = { projectId: body.project.id, engine: 'postgres' };
    const live = await benchDatabase(instance, { ...of, name: 'live' });
    const empty = await benchDatabase(instance, { ...of, name: 'empty' });
    ids.push(live.id, empty.id);
    await fill(live, megabytes);
    const { figures, ...rest } = await measure({ instance, live, empty, rounds });
    const redis = { projectId: body.project.id, engine: 'redis' };
    const from = await benchDatabase(instance, { ...redis, name: 'from' });
    const into = await benchDatabase(instance, { ...redis, name: 'into' });
    ids.push(from.id, into.id);
    return { ...rest, figures: [...figures, ...(await redisImport(instance, from, into))] };
  });
  await removeVolumesOf(ids);
  return report;
}

async function measure(scene: Scene): Promise<BenchReport> {
  const { instance, live, rounds } = scene;
  const [pid = 0] = processesWith('runner/main.ts', instance.longshore.dataDirectory);
  const rss = watchRss(pid);
  try {
    const backups = await backUp(scene);
    const rssMb: Record<string, number> = { before: round(rss.before), backups: round(rss.take()) };
    const downloads = await downloadRate(instance, live.id, backups.last, rounds);
    rssMb.downloads = round(rss.take());
    const restores = await restore(scene, backups.last);
    rssMb.restores = round(rss.take());
    const imports = await fillFromUrl(scene);
    rssMb.imports = round(rss.take());
    const grownMb = Math.max(...Object.values(rssMb)) - rss.before;
    const memory: Figure = {
      name: 'growth of the runner’s resident memory',
      goal: `<= ${goals.rssMb} MB`,
      seen: round(grownMb),
      met: grownMb <= goals.rssMb,
      comparedTo: `${round(rss.before)} MB before; the most in all of the above, looked at every 50 ms`,
    };
    return {
      figures: [backups.figure, restores.figure, imports.figure, downloads.figure, memory],
      details: {
        rssMb,
        databaseMb: backups.databaseMb,
        fileMb: round(backups.last.sizeBytes / 1e6, 0),
        backups: backups.times,
        restores: restores.times,
        imports: imports.times,
        downloads: downloads.seen,
      },
    };
  } finally {
    rss.stop();
  }
}

/** Text that compresses by half, numbers, times, and two indexes. */
async function fill(live: BenchDatabase, megabytes: number): Promise<void> {
  const rows = Math.round((megabytes * 1e6) / bytesPerRow);
  say(`${rows} rows`);
  await inPostgres(live, async (client) => {
    await client.query(
      'CREATE TABLE notes (id bigint PRIMARY KEY, owner int NOT NULL, at timestamptz, amount numeric(12,2), text text)',
    );
    await client.query(`INSERT INTO notes SELECT n, n % 1000, timestamptz '2026-01-01' + n * interval '1 s', n / 100.0,
      md5(n || 'a') || md5(n || 'b') || md5(n || 'c') || repeat(' ', 32) FROM generate_series(1, ${rows}) n`);
    await client.query('CREATE INDEX ON notes (owner)');
    await client.query('VACUUM ANALYZE notes');
    await client.query('CHECKPOINT');
  });
}

const hand = ({ env }: BenchDatabase) => [`--username=${env.POSTGRES_USER}`, `--dbname=${env.POSTGRES_DB}`];

async function backUp({ instance, live, rounds }: Scene) {
  const times = { hand: [] as number[], ours: [] as JobTimes[] };
  let last: Json;
  const dump = ['pg_dump', ...hand(live), '-Fc', '-Z', 'zstd:1', '-f', handFile];
  await inTurns(
    rounds,
    async () => void times.hand.push(await live.byHand(dump)),
    async () => {
      const work = async () => {
        const { backup } = await live.ask('POST', '/backups', { storage: 'disk' });
        last = await live.ended('backups', backup.id);
      };
      times.ours.push(await jobTimes(instance.longshore.dataDirectory, work));
      say(`dump ${comparison(times.hand, times.ours, 'dump')}`);
    },
  );
  const databaseMb = await inPostgres(live, async (client) => {
    const { rows } = await client.query('SELECT pg_database_size(current_database()) AS bytes');
    return round(Number(rows[0]?.bytes) / 1e6, 0);
  });
  const whole = 'with the verification of the file (read whole by pg_restore, hashed again)';
  const figure = compared('backup: dump, times pg_dump -Fc -Z zstd:1 by hand', times, {
    of: ({ phases }) => phases.dump ?? 0,
    goal: goals.timesTool,
    whole,
  });
  return { figure, times, last, databaseMb };
}

async function restore({ instance, live, rounds }: Scene, backup: Json) {
  const times = { hand: [] as number[], ours: [] as JobTimes[] };
  const user = `--username=${live.env.POSTGRES_USER}`;
  await inTurns(
    rounds,
    async () => {
      await live.byHand(['createdb', user, 'hand']);
      times.hand.push(await live.byHand(['pg_restore', user, '--dbname=hand', handFile]));
      await live.byHand(['dropdb', user, 'hand']);
    },
    async () => {
      const work = () => live.ask('POST', `/backups/${backup.id}/restore`);
      times.ours.push(await jobTimes(instance.longshore.dataDirectory, work));
      say(`load ${comparison(times.hand, times.ours, 'load')}`);
    },
  );
  const figure = compared('restore: load, times pg_restore by hand', times, {
    of: ({ phases }) => phases.load ?? 0,
    goal: goals.timesTool,
    whole: 'with the verification of the file, the backup of what was there, the counts and the exchange',
  });
  return { figure, times };
}

async function fillFromUrl({ instance, live, empty, rounds }: Scene) {
  const times = { hand: [] as number[], ours: [] as JobTimes[] };
  const { POSTGRES_USER: user = '', POSTGRES_PASSWORD: password = '', POSTGRES_DB: name } = live.env;
  const sourceUrl = `postgres://${user}:${encodeURIComponent(password)}@${live.address}:5432/${name}`;
  const own = `--username=${empty.env.POSTGRES_USER}`;
  const pipe = `set -o pipefail; pg_dump -Fc -Z 0 | env -u PGHOST -u PGDATABASE pg_restore --no-owner --no-privileges ${own} --dbname=hand`;
  const source = { PGHOST: live.address, PGUSER: user, PGPASSWORD: password, PGDATABASE: name ?? '' };
  await inTurns(
    rounds,
    async () => {
      await empty.byHand(['createdb', own, 'hand']);
      times.hand.push(await empty.byHand(['bash', '-c', pipe], source));
      await empty.byHand(['dropdb', own, 'hand']);
    },
    async () => {
      const work = async () => {
        const { result } = await empty.ask('POST', '/import/postgres-url', { sourceUrl });
        await empty.ended('imports', result.id);
      };
      times.ours.push(await jobTimes(instance.longshore.dataDirectory, work));
      await inPostgres(empty, (client) => client.query('DROP TABLE notes'));
      say(`import ${comparison(times.hand, times.ours, 'load')}`);
    },
  );
  const figure = compared('import: the whole job, times pg_dump | pg_restore by hand', times, {
    of: ({ totalMs }) => totalMs,
    goal: goals.timesPipe,
    whole: 'of it reading and loading alone, which is what the pipe does',
    beside: ({ phases }) => phases.load ?? 0,
  });
  return { figure, times };
}

function compared(
  name: string,
  times: { hand: number[]; ours: JobTimes[] },
  how: { of: (times: JobTimes) => number; goal: number; whole: string; beside?: (times: JobTimes) => number },
): Figure {
  const byHand = median(times.hand);
  const seen = median(times.ours.map(how.of)) / byHand;
  const beside = median(times.ours.map(how.beside ?? (({ totalMs }) => totalMs)));
  const seconds = (ms: number) => `${round(ms / 1_000)} s`;
  return {
    name,
    goal: `<= ${how.goal}`,
    seen: round(seen, 2),
    met: seen <= how.goal,
    comparedTo: `by hand ${seconds(byHand)}, ours ${seconds(median(times.ours.map(how.of)))}; ${how.whole}: ${seconds(beside)}; medians of ${times.hand.length} in turns`,
  };
}

const comparison = (byHand: number[], ours: JobTimes[], phase: string) =>
  `by hand ${byHand.at(-1)?.toFixed(0)} ms, ours ${ours.at(-1)?.phases[phase]?.toFixed(0)} ms`;
