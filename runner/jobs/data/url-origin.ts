/** An import from a server elsewhere. */
import { SourceUrlError, secretsOfSource } from '../../../protocol/import-source.ts';
import type { ImportSpec } from '../../../protocol/job-spec.ts';
import { JobFailure } from '../../base/job-failure.ts';
import type { Contents, DataPlace } from '../../engines/archive/archive.ts';
import { type ImportingEngine, ImportRefusal } from '../../engines/archive/import.ts';
import { importers, volumeImporters } from '../../engines/archive/importers.ts';
import { EngineError } from '../../engines/engine-error.ts';
import { guardedAddress } from '../../source/address-guard.ts';
import type { DataJobParts } from './data-attempt.ts';
import type { ImportOrigin } from './fill-database.ts';
import { nothingChanged } from './nothing-changed.ts';
import { loadVolume } from './volume/volume-switch.ts';

export type UrlOriginParts = DataJobParts & {
  /** RunnerConfig.allowPrivate holds `import`: sources at private addresses. */
  allowPrivateImports: boolean;
};

/** @throws JobFailure `import_refused` for an engine that this host can't fill from a URL */
export function urlOrigin(parts: UrlOriginParts, spec: ImportSpec, url: string | undefined): ImportOrigin {
  const importer = importerOf(parts, spec);
  if (!importer || url === undefined)
    throw new JobFailure('import_refused', `This host cannot import into ${spec.engine}: update its runner.`);
  const addressOf = (host: string) => guardedAddress(host, parts.allowPrivateImports, undefined, 'import');
  return {
    ifEmpty: `The source holds nothing${named(url)}`,
    contents: (place) => importer.contents(place),
    load: (place, names) => importer.load(place, { url, addressOf }, names),
    orFail: (place, work) => orFail(place, url, work),
  };
}

function importerOf(
  { docker, networkRange }: UrlOriginParts,
  { serviceId, engine }: ImportSpec,
): ImportingEngine | undefined {
  const byVolume = volumeImporters[engine];
  if (!byVolume) return importers[engine];
  return {
    contents: (place) => byVolume.contents(place),
    async load(place, source, names) {
      let held: Contents = { tables: 0, rows: 0 };
      const parts = { docker, networkRange, serviceId, engine };
      const loaded = await loadVolume(parts, place, names, async (fresh) => {
        const filled = await byVolume.fill(fresh, source, place);
        held = filled.source;
        return filled.loaded;
      });
      return { ...loaded, source: held };
    },
  };
}

/** Whatever a server or a tool has said is told without the URL and its password. */
async function orFail<T>({ signal }: DataPlace, url: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ImportRefusal || error instanceof SourceUrlError)
      throw new JobFailure('import_refused', nothingChanged(withoutSecrets(error.message, url)));
    if (error instanceof JobFailure && error.code.startsWith('source_'))
      throw new JobFailure('import_refused', nothingChanged(error.message), { cause: error });
    if (error instanceof EngineError)
      throw new JobFailure('import_failed', nothingChanged(withoutSecrets(error.message, url)));
    throw error;
  }
}

/** Whoever mistypes the database finds it empty, but for engines that say so. */
function named(url: string): string {
  const name = URL.parse(url)?.pathname.slice(1) ?? '';
  return name === '' ? '' : ` (database ${name})`;
}

/** Shorter ones would blacken the sentence, and guess themselves. */
const secretCharsMin = 4;

const withoutSecrets = (words: string, url: string) =>
  secretsOfSource(url)
    .filter(({ length }) => length >= secretCharsMin)
    .sort((one, other) => other.length - one.length)
    .reduce((text, secret) => text.replaceAll(secret, '***'), words);
