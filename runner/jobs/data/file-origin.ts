/** An import from a dump file, which is on the host during the import. */
import type { ImportSpec } from '../../../protocol/job-spec.ts';
import { JobFailure } from '../../base/job-failure.ts';
import type { ArchiveFile, DataPlace } from '../../engines/archive/archive.ts';
import { firstBytes, type SeenFile } from '../../engines/archive/file-import.ts';
import { ImportRefusal } from '../../engines/archive/import-refusal.ts';
import { EngineError } from '../../engines/engine-error.ts';
import { type DataAttempt, nothingChanged } from './data-attempt.ts';
import type { ImportOrigin } from './fill-database.ts';
import { refuseTooLittleDisk } from './room-for-copy.ts';
import { loadVolume } from './volume/load-volume.ts';

const ageMagic = 'age-encryption.org/v1';

/**
 * Reads the whole file first: an incomplete dump is refused before anything is changed.
 * @throws JobFailure `import_refused`, `import_failed`; the signal's reason
 */
export async function fileOrigin(
  attempt: DataAttempt,
  spec: ImportSpec,
  file: ArchiveFile,
): Promise<ImportOrigin> {
  const { source, load, replaced } = await orFail(attempt.place, inspect(attempt, spec, file));
  return {
    ifEmpty: 'The file contains no data',
    contents: async (of) =>
      await (replaced?.(of) ?? attempt.engine.data().then(({ fileImport }) => fileImport.contents(of))),
    load: async (of, names) => ({ ...(await load(of, names)), source }),
    orFail,
  };
}

async function inspect(
  { parts, engine, place }: DataAttempt,
  { serviceId, continueOnError = false }: ImportSpec,
  file: ArchiveFile,
): Promise<SeenFile> {
  await refuseTooLittleDisk(parts, file.sizeBytes, engine);
  await refuseEncrypted(file);
  if (engine.restore === 'in-place') {
    return (await engine.data()).fileImport.inspect(place, file, { continueOnError });
  }
  const { fileImport } = await engine.data();
  const { source, fill } = await fileImport.inspect(place, file);
  return {
    source,
    load: (live, names) =>
      loadVolume({ ...parts, serviceId, engine }, live, names, (fresh) => fill(fresh, live)),
  };
}

/** Refuses an encrypted backup that was downloaded without decryption. @throws ImportRefusal */
async function refuseEncrypted(file: ArchiveFile): Promise<void> {
  const head = await firstBytes(file, ageMagic.length);
  if (head.toString('latin1') !== ageMagic) return;
  throw new ImportRefusal(
    'The uploaded file is encrypted in the age format. Decrypt it first: age -d -i IDENTITY FILE > DECRYPTED',
  );
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
