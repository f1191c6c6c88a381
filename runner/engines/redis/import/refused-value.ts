import type { FreshPlace } from '../../archive/archive.ts';
import { ImportRefusal } from '../../archive/import-refusal.ts';
import { EngineError } from '../../engine-error.ts';
import { info } from '../archive/cli.ts';
import { textOf } from '../byte-text.ts';
import type { RestoreRefused } from './restore-replies.ts';
import type { RedisServer } from './server.ts';
import { ServerConnection } from './server-connection.ts';

const nameCharsMax = 120;

export interface ValuePlaces {
  source: RedisServer;
  fresh: FreshPlace;
  database: number;
  /** The source's version. */
  version: string | undefined;
}

/** Explains why the target refused a value, with facts from the source. */
export async function refusedValue(
  { key, message }: RestoreRefused,
  { source, fresh, database, version }: ValuePlaces,
): Promise<Error> {
  const name = textOf(key).slice(0, nameCharsMax);
  if (/payload version/i.test(message)) {
    const own = (await info(fresh, 'server')).get('redis_version') ?? 'of another version';
    return new ImportRefusal(
      `The values of the source (version ${version ?? 'unknown'}) have a format that this database (Redis ${own}) can't read: deploy it with an image of the source's version or a newer one. Its error for the key ${name}: ${message}.`,
    );
  }
  if (/bad data format/i.test(message)) {
    const type = await typeOf(key, source, database, fresh.signal);
    return new ImportRefusal(
      `The key ${name} is of the type ${type}, which this database does not know (${message}): delete it in the source, or deploy this database with an image that has the module of that type.`,
    );
  }
  return new EngineError('unavailable', `The key ${name} could not be written: ${message}.`);
}

async function typeOf(key: Buffer, source: RedisServer, database: number, signal: AbortSignal) {
  const connection = await ServerConnection.open(source, database, signal);
  try {
    const said = await connection.call('TYPE', key);
    return said.type === 'string' ? said.value.toString() : 'unknown';
  } finally {
    connection.close();
  }
}
