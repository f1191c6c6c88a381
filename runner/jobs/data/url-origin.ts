/** An import from another server. */
import { SourceUrlError, secretsOfSource } from '../../../protocol/import-source.ts';
import type { ImportSpec } from '../../../protocol/job-spec.ts';
import { JobFailure } from '../../base/job-failure.ts';
import type { Contents, DataPlace, RestoreNames } from '../../engines/archive/archive.ts';
import { ImportRefusal } from '../../engines/archive/import-refusal.ts';
import type { ImportedData, ImportSource } from '../../engines/archive/url-import.ts';
import { EngineError } from '../../engines/engine-error.ts';
import { engines } from '../../engines/index.ts';
import { guardedAddress, type PortRange } from '../../source/address-guard.ts';
import { type DataJobParts, nothingChanged } from './data-attempt.ts';
import type { ImportOrigin } from './fill-database.ts';
import { loadVolume } from './volume/load-volume.ts';

export type UrlOriginParts = DataJobParts & {
  /** RunnerConfig.allowPrivate contains `import`: sources may have private addresses. */
  allowPrivateImports: boolean;
  /** RunnerConfig.databasePorts: the ports of this host at which its public databases are. */
  databasePorts: PortRange;
};

/** @throws JobFailure `import_refused` if the job has no URL */
export function urlOrigin(parts: UrlOriginParts, spec: ImportSpec, url: string | undefined): ImportOrigin {
  if (url === undefined)
    throw new JobFailure('import_refused', `This host cannot import into ${spec.engine}: update its runner.`);
  const addressOf = sourceAddresses(parts);
  return {
    ifEmpty: `The source contains no data${named(url)}`,
    contents: async (place) => (await engines[spec.engine].data()).urlImport.contents(place),
    load: (place, names) => load(parts, spec, place, { url, addressOf }, names),
    orFail: (place, work) => orFail(place, url, work),
  };
}

/**
 * Decides from which addresses an import may read. The runner itself connects to them, and a firewall in front of the host does not see
 * connections from the host to itself. So on this host, only public databases are allowed as sources.
 * @param own this host's public addresses; those of its interfaces by default
 */
export const sourceAddresses =
  (
    {
      allowPrivateImports: allowPrivate,
      databasePorts,
    }: Pick<UrlOriginParts, 'allowPrivateImports' | 'databasePorts'>,
    own?: readonly string[],
  ): ImportSource['addressOf'] =>
  (host, port) =>
    guardedAddress(host, { allowPrivate, use: 'import', port, alsoOpen: databasePorts, ...(own && { own }) });

async function load(
  parts: UrlOriginParts,
  { serviceId, engine: engineName, continueOnError = false }: ImportSpec,
  place: DataPlace,
  source: ImportSource,
  names: RestoreNames,
): Promise<ImportedData> {
  const engine = engines[engineName];
  if (engine.restore === 'in-place') {
    const { urlImport } = await engine.data();
    return await urlImport.load(place, source, names, { continueOnError });
  }
  const { urlImport } = await engine.data();
  let held: Contents = { tables: 0, rows: 0 };
  const loaded = await loadVolume({ ...parts, serviceId, engine }, place, names, async (fresh) => {
    const filled = await urlImport.fill(fresh, source, place);
    held = filled.source;
    return filled.loaded;
  });
  return { ...loaded, source: held };
}

/** Removes the URL and its password from the errors of servers and tools. */
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

/** The database's name for messages: with most engines, a mistyped name is an empty database, not an error. */
function named(url: string): string {
  const name = URL.parse(url)?.pathname.slice(1) ?? '';
  return name === '' ? '' : ` (database ${name})`;
}

/** Masking shorter secrets would hide most of the sentence and reveal the secret. */
const secretCharsMin = 4;

const withoutSecrets = (words: string, url: string) =>
  secretsOfSource(url)
    .filter(({ length }) => length >= secretCharsMin)
    .sort((one, other) => other.length - one.length)
    .reduce((text, secret) => text.replaceAll(secret, '***'), words);
