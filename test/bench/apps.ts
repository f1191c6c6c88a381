/**
 * Fixture apps of test/fixtures/apps, one after the other through the real API, Worker and runner: what the analyzer finds, how long the
 * build takes with nothing of it in the cache, how large the image is, and the time from POST to the first 200.
 */
import Docker from 'dockerode';
import { ensureTestImage } from '../stand-ins/ensure-test-image.ts';
import { fixtureApp } from '../support/fixture-app.ts';
import type { Json } from '../support/instance/longshore.ts';
import { appImages, appsLeftOut } from './support/apps-list.ts';
import { type BenchInstance, withInstance } from './support/bench-instance.ts';
import { firstAnswer } from './support/first-answer.ts';
import { median, round } from './support/numbers.ts';
import { type BenchReport, say } from './support/report.ts';

/** A build with many downloads on a busy machine. */
const appLimitMs = 15 * 60_000;
/** A variable of each service: with a value of this run, no step that runs something is in the cache of an earlier one. */
const runMark = { key: 'BENCH_RUN', value: String(Date.now()) };

interface AppRow {
  app: string;
  /** What the analyzer says of itself in the log, or the sentence of the failure. */
  found: string;
  buildSeconds: number | null;
  imageMb: number | null;
  firstAnswerSeconds: number | null;
}

/** @param only names of fixture apps; all that can be built when absent */
export async function benchApps(only = Object.keys(appImages)): Promise<BenchReport> {
  const unknown = only.filter((app) => !Object.hasOwn(appImages, app));
  if (unknown.length > 0) {
    throw new Error(`no such app: ${unknown.join(', ')}; there are ${Object.keys(appImages).join(', ')}`);
  }
  return withInstance(async (instance) => {
    const rows: AppRow[] = [];
    for (const app of only) {
      for (const image of appImages[app] ?? []) await ensureTestImage(image);
      const row = await deployApp(instance, app);
      rows.push(row);
      say(tableRow(row));
    }
    const served = rows.flatMap(({ firstAnswerSeconds }) => firstAnswerSeconds ?? []);
    return {
      figures: [
        {
          name: 'apps that build and answer without a setting',
          goal: `${rows.length}`,
          seen: served.length,
          met: served.length === rows.length,
          comparedTo: `POST to the first 200, median: ${round(median(served))} s`,
        },
      ],
      details: { rows, leftOut: appsLeftOut },
    };
  });
}

async function deployApp(instance: BenchInstance, app: string): Promise<AppRow> {
  const { longshore } = instance;
  const repository = await instance.repository(app, fixtureApp(app));
  const service = await instance.service(repository, { env: [runMark] });
  const from = performance.now();
  const id = await instance.queue(service.id);
  const stop = new AbortController();
  const url = `http://127.0.0.1:${service.hostPort}/`;
  const answered = firstAnswer(url, '', { limitMs: appLimitMs, signal: stop.signal }).then(
    () => (performance.now() - from) / 1000,
    () => null,
  );
  const deployment = await longshore.finished(id, service.id);
  if (deployment.status !== 'running') stop.abort();
  const seconds = await answered;
  const { body } = await longshore.call('GET', `/api/deployments/${id}/logs`);
  const row = {
    app,
    ...foundInLog(body.logs),
    imageMb: deployment.status === 'running' ? await imageMb(deployment.imageTag) : null,
    firstAnswerSeconds: seconds === null ? null : round(seconds),
  };
  await longshore.call('DELETE', `/api/services/${service.id}`);
  return row;
}

/** What the platform's own lines say: between checkout and image what was found, at the end why not. */
function foundInLog(logs: Json[]): Pick<AppRow, 'found' | 'buildSeconds'> {
  const lines: string[] = logs.flatMap(({ stream, line }) => (stream === 'system' ? line : []));
  const from = lines.findIndex((line) => line.startsWith('clone: done'));
  const to = lines.findIndex((line) => line.startsWith('build: '));
  const failure = lines.find((line) => line.startsWith('Failed ('));
  const seconds = /done in ([\d.]+) s/.exec(lines[to] ?? '')?.[1];
  return {
    found: failure ?? lines.slice(from + 1, to).join('; '),
    buildSeconds: seconds === undefined ? null : Number(seconds),
  };
}

async function imageMb(tag: string): Promise<number> {
  const { Size } = await new Docker().getImage(tag).inspect();
  return round(Size / 1e6);
}

/** A row of the table in docs/lab-books/build-times.md. */
const tableRow = ({ app, found, buildSeconds, imageMb, firstAnswerSeconds }: AppRow) =>
  `| ${[app, found, buildSeconds ?? '', imageMb ?? '', firstAnswerSeconds ?? ''].join(' | ')} |`;
