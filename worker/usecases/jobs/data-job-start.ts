/** The start of a backup, restore, import, drill or upgrade: its parameters are in rows, its database's credentials in the container. */
import type { DeploySecrets } from '../../../protocol/job-spec.ts';
import { dataJobSpecOf } from '../../domain/deployments/data-job-spec.ts';
import { UndispatchableError } from '../../domain/deployments/deploy-spec.ts';
import { ApiError } from '../../domain/errors.ts';
import { importSourcePlace } from '../../security/secret-places.ts';
import { type DataDispatchRows, findDataDispatch } from '../../store/jobs/data-dispatch-store.ts';
import { openBackupIdentity } from '../backups/backup-keys.ts';
import type { Dependencies } from '../dependencies.ts';
import { transferTokenOf } from '../transfer-token.ts';
import { assertKeptApart, loginsFor, type Starter } from './job-start.ts';

export const dataJobStarter: Starter<DataDispatchRows> = {
  find: findDataDispatch,
  unprepared: 'The job could not be prepared: start it again.',
  async prepare(deps, rows) {
    // Every other data job uses the image that the database already runs.
    if (rows.upgrade && rows.upgrade.undoes === null) assertKeptApart(rows);
    const secrets = {
      env: {},
      gitToken: null,
      transferToken: await transferTokenOf(deps, rows.job),
      ...(await openSource(deps, rows)),
      ...(await identityFor(deps, rows)),
      // Only an upgrade pulls an image.
      ...(rows.upgrade ? await loginsFor(deps, rows) : {}),
    };
    return { spec: dataJobSpecOf(rows), secrets };
  },
};

/** @throws UndispatchableError with the key's id, if the key is lost */
async function identityFor(
  deps: Pick<Dependencies, 'db' | 'envelope'>,
  { restored }: DataDispatchRows,
): Promise<Pick<DeploySecrets, 'backupIdentity'>> {
  if (!restored?.encryptedWith) return {};
  try {
    return { backupIdentity: await openBackupIdentity(deps, restored.encryptedWith) };
  } catch (error) {
    if (error instanceof ApiError) throw new UndispatchableError(error.message);
    throw error;
  }
}

/** The source URL of an import. @throws errors of decryption; UndispatchableError if the import has ended since */
async function openSource(
  { envelope }: Pick<Dependencies, 'envelope'>,
  { project, import: asked }: DataDispatchRows,
): Promise<Pick<DeploySecrets, 'sourceUrl'>> {
  if (!asked) return {};
  const { id, source, sealedSource } = asked;
  if (source === 'file') return {};
  if (sealedSource === null) throw new UndispatchableError('The import has already ended.');
  const place = importSourcePlace(id);
  return { sourceUrl: await envelope.open(project.wrappedDataKey, project.id, place, sealedSource) };
}
