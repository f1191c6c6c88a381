/** Reports the state of a deployment as a status of its commit to the git host, which shows it at the commit and in pull requests. */

/**
 * `replaced`: the commit was pushed, but a newer commit was deployed instead. `awaiting`: it waits for the checks of the commit.
 * `refused`: its checks keep it from being deployed.
 */
export const commitStates = [
  'queued',
  'building',
  'running',
  'failed',
  'aborted',
  'replaced',
  'awaiting',
  'refused',
] as const;
export type CommitState = (typeof commitStates)[number];

export interface CommitStatus {
  /** Host of the repository: `git.example.com:3000`. */
  host: string;
  /** `owner/repo`; longer paths at GitLab. */
  repository: string;
  sha: string;
  state: CommitState;
  /** Distinguishes the services that deploy the same commit, and never changes: `longshore/shop/web`. */
  context: string;
  /** A description in one sentence. */
  description: string;
  /** The service's address; `null` if it has none. */
  url: string | null;
}

/** A POST to the API of a git host. */
export interface StatusRequest {
  url: string;
  headers: Record<string, string>;
  body: unknown;
}

/** @returns `owner/repo` of a repository that is fetched by https; undefined if the URL has no such path */
export function repositoryOf(repositoryUrl: string): string | undefined {
  const path = URL.parse(repositoryUrl)
    ?.pathname.replace(/^\/+|\/+$/g, '')
    .replace(/\.git$/, '');
  return path?.includes('/') ? path : undefined;
}

const sentences: Record<CommitState, string> = {
  queued: 'The deployment is queued.',
  building: 'The deployment is running.',
  running: 'The commit is live.',
  failed: 'The deployment failed.',
  aborted: 'The deployment was aborted.',
  replaced: 'A newer commit was deployed in its place.',
  awaiting: 'The deployment waits for the checks of the commit.',
  refused: 'Not deployed: the checks of the commit are not green.',
};

/** The beginning of the context of every status that Longshore sends, by which it leaves out its own when it reads checks. */
export const contextPrefix = 'longshore/';

/** @param failure the reason of a failed deployment, or of a push that is not deployed */
export const descriptionOf = (state: CommitState, failure: string | null): string =>
  (state === 'failed' || state === 'refused') && failure ? failure : sentences[state];

/** Half of a surrogate pair at the end would be invalid JSON for git hosts. */
export const cutTo = (charsMax: number, text: string): string =>
  text
    .slice(0, charsMax)
    .replace(/[\ud800-\udbff]$/, '')
    .toWellFormed();
