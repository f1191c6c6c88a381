import { type CommitState, type CommitStatus, cutTo, type StatusRequest } from './commit-status.ts';

const states = {
  queued: 'pending',
  building: 'pending',
  running: 'success',
  failed: 'failure',
  aborted: 'error',
  replaced: 'error',
} as const satisfies Record<CommitState, string>;

const descriptionMax = 255;

/** Gitea and Forgejo: https://docs.gitea.com/api/next/#tag/repository/operation/repoCreateStatus */
export function giteaStatus(status: CommitStatus, token: string): StatusRequest {
  const { host, repository, sha, state, context, description, url } = status;
  return {
    url: `https://${host}/api/v1/repos/${repository}/statuses/${sha}`,
    headers: { authorization: `token ${token}` },
    body: {
      state: states[state],
      context,
      description: cutTo(descriptionMax, description),
      target_url: url ?? '',
    },
  };
}
