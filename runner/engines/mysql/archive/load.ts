/** The image creates a new server with the service's own accounts; `mysql` reads the dump into it. */

import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { crashPoint } from '../../../base/crash-point.ts';
import type { ArchiveFile, Contents, FreshPlace } from '../../archive/archive.ts';
import { readWithProgress } from '../../archive/read-with-progress.ts';
import { runTool } from '../../archive/run-tool.ts';
import { EngineError } from '../../engine-error.ts';
import { asRoot, query, quotedName, rootEnvironment, systemSchemas, type ToolPlace } from './client.ts';

const pollMs = 500;
/** The first start creates the data files. */
const startTimeoutMs = 300_000;

/** A clean shutdown writes everything to disk. Scheduled events must not change the counted data. */
export const loadingArguments = [
  '--skip-log-bin',
  '--innodb-flush-log-at-trx-commit=0',
  '--event-scheduler=OFF',
  '--max-allowed-packet=1G',
];

export async function load(place: FreshPlace, file: ArchiveFile): Promise<Contents> {
  await untilServing(place);
  const sql = createGunzip();
  const reading = pipeline(readWithProgress(file, place), sql);
  reading.catch(() => {}); // the reader of the stream reports the error
  await runTool(place, ['mysql', ...asRoot(), '--binary-mode', '--comments'], {
    env: rootEnvironment(place),
    stdin: sql,
  }).catch((error: unknown) => {
    place.signal.throwIfAborted();
    throw error instanceof Error && error === sql.errored ? notUnpacked(error) : error;
  });
  crashPoint('load:filled');
  return countAll(place);
}

const notUnpacked = (cause: Error) =>
  new EngineError('unavailable', `The dump can't be unpacked: ${cause.message}.`, { cause });

/** `mysqldump` writes no rows of tables that only show rows of other tables: client/mysqldump.cc, `check_if_ignore_table`. */
const enginesWithoutRows = new Set(['MRG_MYISAM', 'FEDERATED']);

/** Counts the tables and rows that a dump contains: those of all databases except the server's own. */
export async function countAll(place: ToolPlace): Promise<Contents> {
  const found = await query(
    place,
    `SELECT table_schema, table_name, IFNULL(engine, '') FROM information_schema.tables
      WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ${systemSchemas}`,
  );
  const counted = found
    .filter(([, , engine = '']) => !enginesWithoutRows.has(engine))
    .map(([schema = '', table = '']) => `SELECT COUNT(*) FROM ${quotedName(schema)}.${quotedName(table)}`);
  const counts = counted.length > 0 ? await query(place, counted.join(';\n')) : [];
  const rows = counts.reduce((sum, [count]) => sum + Number(count), 0);
  return { tables: found.length, rows };
}

/** Asks over TCP: during its set-up the image runs a temporary server that accepts connections only on its socket. */
export async function untilServing(place: ToolPlace): Promise<void> {
  const command = ['mysql', ...asRoot(), '--host=127.0.0.1', '--protocol=tcp', '--execute=SELECT 1'] as const;
  for (const giveUpAt = performance.now() + startTimeoutMs; ; ) {
    const refusal = await runTool(place, [...command], { env: rootEnvironment(place) }).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (refusal === undefined) return;
    if (!(refusal instanceof EngineError) || performance.now() > giveUpAt) throw refusal;
    await delay(pollMs, undefined, { signal: place.signal }).catch(() => place.signal.throwIfAborted());
  }
}
