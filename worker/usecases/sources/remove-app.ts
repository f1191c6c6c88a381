import { gitHubApiOf } from '../../domain/sources/github-app.ts';
import { deleteGitHubApp, type GitHubAppRow } from '../../store/sources/github-app-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { appJwt, askGitHub, type GitHubNeeds } from './installation-token.ts';
import { listInstallations, usableApp } from './read-app.ts';

/**
 * Uninstalls an app from its accounts, which ends its tokens and deliveries, and deletes its row with its private key and its credential.
 * https://docs.github.com/en/rest/apps/apps#delete-an-installation-for-the-authenticated-app. GitHub has no call that deletes the app itself.
 * @returns the remaining steps, or why the app could not be uninstalled: its row is deleted in any case
 */
export async function removeGitHubApp(
  deps: GitHubNeeds & Pick<Dependencies, 'db'>,
  row: GitHubAppRow,
): Promise<string> {
  const trouble = row.appId === null ? null : await uninstall(deps, row);
  await deleteGitHubApp(deps.db, row.id);
  deps.gitHubTokens.forget(row.id);
  if (row.htmlUrl === null) return 'The unfinished registration is deleted.';
  const rest = `Delete the app itself in its settings at ${row.host}: ${row.htmlUrl}`;
  return trouble === null
    ? `The app is uninstalled. ${rest}`
    : `The app could not be uninstalled (${trouble}). ${rest}`;
}

async function uninstall(deps: GitHubNeeds, row: GitHubAppRow): Promise<string | null> {
  try {
    const app = usableApp(row);
    const token = await appJwt(deps, app);
    for (const { id } of await listInstallations(deps, row)) {
      const url = `${gitHubApiOf(app.host)}/app/installations/${id}`;
      await askGitHub(deps, app, { method: 'DELETE', url, token });
    }
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
