import { ApiError } from '../../domain/errors.ts';
import { checkReaderOf } from '../../domain/sources/commit-checks/check-reader.ts';
import { isSshKeyText } from '../../domain/sources/ssh-key.ts';
import { selectSealedLogins } from '../../store/sources/git-credential-store.ts';
import type { Database } from '../../store/sql/database.ts';

/**
 * Refuses the setting `waitForChecks` where nothing could read the checks.
 * @param gitToken of the request: undefined leaves the stored one
 * @throws ApiError `conflict`
 */
export async function assertReadableChecks(
  db: Database,
  projectId: string,
  { repoUrl, hasStoredToken }: { repoUrl: string; hasStoredToken: boolean },
  gitToken: string | null | undefined,
): Promise<void> {
  const [logins] = await selectSealedLogins(db, projectId);
  const hasToken = gitToken === undefined ? hasStoredToken : gitToken !== null && !isSshKeyText(gitToken);
  const found = checkReaderOf(repoUrl, logins?.gitCredentials ?? [], hasToken);
  if ('missing' in found)
    throw new ApiError('conflict', `The field "waitForChecks" can't be true. ${found.missing}`);
}
