/** GitHub's facts about a registered app: its installations, and the repositories that it can read. */
import { ApiError } from '../../domain/errors.ts';
import type { UsableGitHubApp } from '../../domain/sources/github-app.ts';
import { gitHubApiOf, installationsSchema, repositoriesSchema } from '../../domain/sources/github-app.ts';
import type { GitHubAppRow } from '../../store/sources/github-app-store.ts';
import { appJwt, askGitHub, type GitHubNeeds, listingToken, understood } from './installation-token.ts';

/** Maximum number of rows that GitHub returns per page. */
const perPage = 100;

/** @throws ApiError `conflict` while the app is not registered */
export function usableApp({ id, host, appId, name, sealedSecrets }: GitHubAppRow): UsableGitHubApp {
  if (appId !== null && name !== null && sealedSecrets !== null)
    return { id, host, appId, name, sealedSecrets };
  throw new ApiError(
    'conflict',
    'The GitHub App is not registered yet: open its setup page, or begin again with POST /api/github-apps.',
  );
}

/** The first hundred installations. A private app has fewer, because its owner is the only account. @throws ApiError as `askGitHub` */
export async function listInstallations(deps: GitHubNeeds, row: GitHubAppRow) {
  const app = usableApp(row);
  const answer = await askGitHub(deps, app, {
    ...{ method: 'GET', url: `${gitHubApiOf(app.host)}/app/installations?per_page=${perPage}` },
    token: await appJwt(deps, app),
  });
  return understood(app, answer, installationsSchema);
}

/** A page of the repositories of an installation. @param page from 1 @throws ApiError as `listingToken` */
export async function listRepositories(
  deps: GitHubNeeds,
  row: GitHubAppRow,
  { installationId, page }: { installationId?: number | undefined; page: number },
) {
  const app = usableApp(row);
  const answer = await askGitHub(deps, app, {
    method: 'GET',
    url: `${gitHubApiOf(app.host)}/installation/repositories?per_page=${perPage}&page=${page}`,
    token: await listingToken(deps, app, installationId ?? (await firstInstallation(deps, row))),
  });
  const { total_count, repositories } = understood(app, answer, repositoriesSchema);
  return { repositories, total: total_count, nextPage: page * perPage < total_count ? page + 1 : null };
}

/** @throws ApiError `conflict` */
async function firstInstallation(deps: GitHubNeeds, row: GitHubAppRow): Promise<number> {
  const [first] = await listInstallations(deps, row);
  if (first) return first.id;
  throw new ApiError(
    'conflict',
    'The GitHub App is installed nowhere: choose repositories on the page `installUrl`.',
  );
}
