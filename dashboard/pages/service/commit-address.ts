/**
 * The page of a commit at the git host, from the address of the repository; undefined if it has none.
 * GitHub, Gitea, Forgejo and Codeberg: `/commit/<sha>`; GitLab: `/-/commit/<sha>`; Bitbucket: `/commits/<sha>`.
 */
export function commitAddress(repoUrl: string, sha: string): string | undefined {
  const [, host, path] =
    /^https?:\/\/(?:[^@/]*@)?([^/]+)\/(.+?)(?:\.git)?\/?$/.exec(repoUrl) ??
    /^(?:ssh:\/\/)?[^@/]+@([^:/]+)(?::\d+\/|[:/])(.+?)(?:\.git)?\/?$/.exec(repoUrl) ??
    [];
  if (host === undefined || !/^[0-9a-f]{7,64}$/.test(sha)) return undefined;
  const page = /gitlab/i.test(host) ? '-/commit' : /bitbucket/i.test(host) ? 'commits' : 'commit';
  return `https://${host}/${path}/${page}/${sha}`;
}
