/** An import from a dump file, which lies on the host for the time of it. */
import type { ImportSpec } from '../../../protocol/job-spec.ts';
import { JobFailure } from '../../base/job-failure.ts';
import type { ArchiveFile, DataPlace } from '../../engines/archive/archive.ts';
import type { FileImporter } from '../../engines/archive/file-import.ts';
import { fileImporters, volumeFileImporters } from '../../engines/archive/file-importers.ts';
import { ImportRefusal } from '../../engines/archive/import.ts';
import { EngineError } from '../../engines/engine-error.ts';
import type { DataAttempt, DataJobParts } from './data-attempt.ts';
import type { ImportOrigin } from './fill-database.ts';
import { nothingChanged } from './nothing-changed.ts';
import { loadVolume } from './volume/volume-switch.ts';

/**
 * Reads the file to its end first: what is no whole dump is refused before anything is touched.
 * @throws JobFailure `import_refused`, `import_failed`; the signal's reason
 */
export async function fileOrigin(
  { parts, place }: DataAttempt,
  spec: ImportSpec,
  file: ArchiveFile,
): Promise<ImportOrigin> {
  const importer = importerOf(parts, spec);
  if (!importer)
    throw new JobFailure(
      'import_refused',
      `This host cannot fill ${spec.engine} from a file: update its runner.`,
    );
  const { source, load } = await orFail(place, importer.inspect(place, file));
  return {
    ifEmpty: 'The file holds nothing',
    contents: (of) => importer.contents(of),
    load: async (of, names) => ({ ...(await load(of, names)), source }),
    orFail,
  };
}

function importerOf(
  { docker, networkRange }: DataJobParts,
  { serviceId, engine }: ImportSpec,
): FileImporter | undefined {
  const byVolume = volumeFileImporters[engine];
  if (!byVolume) return fileImporters[engine];
  const parts = { docker, networkRange, serviceId, engine };
  return {
    contents: (place) => byVolume.contents(place),
    async inspect(place, file) {
      const { source, fill } = await byVolume.inspect(place, file);
      return {
        source,
        load: (live, names) => loadVolume(parts, live, names, (fresh) => fill(fresh, live)),
      };
    },
  };
}

async function orFail<T>({ signal }: DataPlace, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ImportRefusal)
      throw new JobFailure('import_refused', nothingChanged(error.message), { cause: error });
    if (error instanceof EngineError)
      throw new JobFailure('import_failed', nothingChanged(error.message), { cause: error });
    throw error;
  }
}
