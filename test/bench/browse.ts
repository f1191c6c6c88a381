/** Browsing a PostgreSQL of 5 million rows and 500 tables through the runner's session, against the driver alone with the same statement. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { EngineSession } from '../../runner/engines/engine.ts';
import { postgres } from '../../runner/engines/postgres.ts';
import { startEngine } from '../support/docker/engine-container.ts';
import { median, percentile, round } from './support/numbers.ts';
import { rssMb } from './support/process-use.ts';
import { type BenchReport, type Figure, say } from './support/report.ts';

const image = 'postgres:17';
const rowsOfLarge = 5_000_000;
const tables = 500;
const rowsEach = 100;
const readers = 50;
const goals = { timesDriver: 3, listMs: 300 };
const page = { action: 'rows', table: 'public.large', limit: 50, offset: 0 } as const;
const sameStatement = 'SELECT id, name, at, amount FROM public.large ORDER BY id LIMIT 50 OFFSET 0';

/** @param rounds pages of each kind @param seconds that the readers read */
export async function benchBrowse(rounds: number, seconds: number): Promise<BenchReport> {
  const env = {
    POSTGRES_DB: 'app',
    POSTGRES_USER: 'app',
    POSTGRES_PASSWORD: randomBytes(12).toString('hex'),
  };
  const host = await startEngine(postgres, image, env);
  const driver = new pg.Client({
    ...host.address,
    database: env.POSTGRES_DB,
    user: env.POSTGRES_USER,
    password: env.POSTGRES_PASSWORD,
  });
  try {
    await driver.connect();
    await fill(driver);
    const session = await postgres.connect(host.address, env);
    try {
      const list = await tablesList(session);
      const first = await firstPage(session, driver, rounds);
      const many = await manyReaders(session, seconds);
      return {
        figures: [first.figure, many.figure, list.figure],
        details: { rows: rowsOfLarge, firstPage: first.times, readers: many.seen },
      };
    } finally {
      await session.close();
    }
  } finally {
    await driver.end().catch(() => {});
    await host.remove();
  }
}

async function fill(driver: pg.Client): Promise<void> {
  say(`${rowsOfLarge} rows`);
  await driver.query(
    `CREATE TABLE large (id bigint PRIMARY KEY, name text, at timestamptz, amount numeric(10,2))`,
  );
  await driver.query(
    `INSERT INTO large SELECT n, 'name ' || n, timestamptz '2026-01-01' + n * interval '1 s', n / 100.0 FROM generate_series(1, ${rowsOfLarge}) n`,
  );
  say(`${tables} tables of ${rowsEach} rows`);
  await driver.query(`DO $$ BEGIN FOR i IN 1..${tables} LOOP
    EXECUTE format('CREATE TABLE small_%s (id int PRIMARY KEY, word text)', i);
    EXECUTE format('INSERT INTO small_%s SELECT n, ''w'' FROM generate_series(1, ${rowsEach}) n', i);
  END LOOP; END $$`);
  await driver.query('VACUUM ANALYZE');
}

async function timed(ask: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await ask();
  return performance.now() - startedAt;
}

/** In turns, so that what else the machine does falls on both. */
async function firstPage(session: EngineSession, driver: pg.Client, rounds: number) {
  say('first page');
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let left = rounds; left > 0; left--) {
    ours.push(await timed(() => session.rows(page)));
    theirs.push(await timed(() => driver.query(sameStatement)));
  }
  const times = median(ours) / median(theirs);
  const figure: Figure = {
    name: 'first page of 5 million rows, times the driver',
    goal: `<= ${goals.timesDriver}`,
    seen: round(times, 2),
    met: times <= goals.timesDriver,
    comparedTo: `the same statement through pg: p50 ${round(median(theirs), 2)} ms; ours with columns, total and a read-only transaction ${round(median(ours), 2)} ms; ${rounds} pairs in turns`,
  };
  const of = (values: number[]) => ({
    p50Ms: round(median(values), 2),
    p99Ms: round(percentile(values, 0.99), 2),
  });
  return { figure, times: { ours: of(ours), driver: of(theirs) } };
}

async function manyReaders(session: EngineSession, seconds: number) {
  say(`${readers} readers`);
  const rssBeforeMb = rssMb(process.pid);
  let rssMaxMb = rssBeforeMb;
  let errors = 0;
  const times: number[] = [];
  const end = performance.now() + seconds * 1_000;
  const watch = setInterval(() => {
    rssMaxMb = Math.max(rssMaxMb, rssMb(process.pid));
  }, 100);
  await Promise.all(
    Array.from({ length: readers }, async () => {
      while (performance.now() < end) {
        const offset = Math.floor(Math.random() * 1_000);
        await timed(() => session.rows({ ...page, offset })).then(
          (ms) => times.push(ms),
          () => errors++,
        );
      }
    }),
  );
  clearInterval(watch);
  const seen = {
    pages: times.length,
    errors,
    p50Ms: round(median(times)),
    p99Ms: round(percentile(times, 0.99)),
    rssBeforeMb: round(rssBeforeMb, 0),
    rssMaxMb: round(rssMaxMb, 0),
  };
  const figure: Figure = {
    name: `errors of ${readers} readers at once`,
    goal: '0',
    seen: errors,
    met: errors === 0 && times.length > 0,
    comparedTo: `${seen.pages} pages in ${seconds} s, p50 ${seen.p50Ms} ms; resident ${seen.rssBeforeMb} MB before, at most ${seen.rssMaxMb} MB`,
  };
  return { figure, seen };
}

async function tablesList(session: EngineSession) {
  say('tables');
  const times: number[] = [];
  for (let left = 15; left > 0; left--) times.push(await timed(() => session.tables({ action: 'tables' })));
  const { tables: listed } = await session.tables({ action: 'tables' });
  const exact = listed.filter(({ rowCount }) => rowCount === rowsEach).length;
  const seen = round(median(times));
  const figure: Figure = {
    name: `list of ${tables} tables with their counts`,
    goal: `<= ${goals.listMs} ms`,
    seen,
    met: seen <= goals.listMs && exact === tables,
    comparedTo: `nothing; median of ${times.length}, slowest ${round(Math.max(...times))} ms; ${exact} counts exact`,
  };
  return { figure };
}
