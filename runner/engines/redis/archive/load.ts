/**
 * With `appendonly yes` Redis reads its append-only file alone and takes no notice of a dump. So it reads the dump without one, and is
 * then told to write one: https://redis.io/docs/latest/operate/oss_and_stack/management/persistence/
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { ArchiveFile, Contents, FreshPlace } from '../../archive/archive.ts';
import { piecesWithProgress } from '../../archive/read-with-progress.ts';
import { runTool } from '../../archive/run-tool.ts';
import { EngineError } from '../../engine-error.ts';
import { ask, info } from './cli.ts';
import { contentsOf } from './rdb-check.ts';

const dumpFile = '/data/dump.rdb';
const pollMs = 100;
/** A server that reads or writes gigabytes tells so; one that says nothing at all for so long is none. */
const silenceMs = 180_000;

/** No file of its own making takes the dump's place. */
export const loadingArguments = ['--appendonly', 'no', '--save', ''];

export async function load(place: FreshPlace, file: ArchiveFile): Promise<Contents> {
  await untilServing(place);
  await runTool(place, ['dd', `of=${dumpFile}`, 'bs=64k'], { stdin: piecesWithProgress(file, place) });
  await place.restart();
  await untilServing(place);
  const contents = {
    tables: contentsOf(await runTool(place, ['redis-check-rdb', dumpFile])).tables,
    rows: await keysRead(place),
  };
  await writeAppendOnlyFile(place);
  await runTool(place, ['rm', dumpFile]);
  return contents;
}

/** Those whose time has passed since the dump were read and left out. */
async function keysRead(place: FreshPlace): Promise<number> {
  const facts = await info(place, 'persistence');
  const loaded = facts.get('rdb_last_load_keys_loaded');
  const expired = facts.get('rdb_last_load_keys_expired');
  if (loaded !== undefined && expired !== undefined) return Number(loaded) + Number(expired);
  throw new EngineError(
    'unsupported',
    'This Redis does not say how many keys it has read, so a restore can not be proven: use version 7 or newer.',
  );
}

async function untilServing(place: FreshPlace): Promise<void> {
  const giveUpAt = performance.now() + silenceMs;
  for (let said = ''; performance.now() < giveUpAt || /LOADING/.test(said); await pause(place)) {
    said = await ask(place, 'PING').catch((error: unknown) => {
      if (error instanceof EngineError) return error.message;
      throw error;
    });
    if (said.trim() === 'PONG') return;
  }
  throw new EngineError('unavailable', 'The Redis that was to load the backup does not answer.');
}

async function writeAppendOnlyFile(place: FreshPlace): Promise<void> {
  const said = (await ask(place, 'CONFIG', 'SET', 'appendonly', 'yes')).trim();
  if (said !== 'OK') throw new EngineError('unavailable', `Redis writes no append-only file: ${said}`);
  for (;;) {
    const facts = await info(place, 'persistence');
    const isBusy = facts.get('aof_rewrite_in_progress') !== '0' || facts.get('aof_rewrite_scheduled') !== '0';
    const status = facts.get('aof_last_bgrewrite_status');
    if (!isBusy && status === 'ok') return;
    if (!isBusy)
      throw new EngineError('unavailable', `Redis could not write its append-only file: ${status}`);
    await pause(place);
  }
}

const pause = ({ signal }: FreshPlace) =>
  delay(pollMs, undefined, { signal }).catch(() => signal.throwIfAborted());
