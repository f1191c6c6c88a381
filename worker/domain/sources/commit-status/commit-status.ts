/** The state of a deployment as a status of its commit at the git host, which shows it beside the commit and in pull requests. */

/** `replaced`: the commit was pushed, and a newer one was deployed in its place. */
export const commitStates = ['queued', 'building', 'running', 'failed', 'aborted', 'replaced'] as const;
export type CommitState = (typeof commitStates)[number];

export interface CommitStatus {
  /** Of the repository: `git.example.com:3000`. */
  host: string;
  /** `owner/repo`; GitLab's can be longer. */
  repository: string;
  sha: string;
  state: CommitState;
  /** Tells apart the services that deploy the same commit, and stays the same: `longshore/shop/web`. */
  context: string;
  /** One sentence. */
  description: string;
  /** The service's address; null: it has none. */
  url: string | null;
}

/** A POST to the API of a git host. */
export interface StatusRequest {
  url: string;
  headers: Record<string, string>;
  body: unknown;
}

/** @returns `owner/repo` of a repository that is fetched by https; undefined: the URL has no such path */
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
};

/** @param failure the reason of a failed deployment */
export const descriptionOf = (state: CommitState, failure: string | null): string =>
  state === 'failed' && failure ? failure : sentences[state];

/** Half of a character at the end would make the JSON one that git hosts refuse. */
export const cutTo = (charsMax: number, text: string): string =>
  text
    .slice(0, charsMax)
    .replace(/[\ud800-\udbff]$/, '')
    .toWellFormed();
