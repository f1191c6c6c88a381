import { type CommitState, type CommitStatus, cutTo, type StatusRequest } from './commit-status.ts';

const states = {
  queued: 'pending',
  building: 'running',
  running: 'success',
  failed: 'failed',
  aborted: 'canceled',
  replaced: 'canceled',
} as const satisfies Record<CommitState, string>;

const descriptionMax = 255;

/** https://docs.gitlab.com/api/commits/#set-commit-pipeline-status */
export function gitlabStatus(status: CommitStatus, token: string): StatusRequest {
  const { host, repository, sha, state, context, description, url } = status;
  return {
    url: `https://${host}/api/v4/projects/${encodeURIComponent(repository)}/statuses/${sha}`,
    headers: { authorization: `Bearer ${token}` },
    body: {
      state: states[state],
      name: context,
      description: cutTo(descriptionMax, description),
      ...(url !== null && { target_url: url }),
    },
  };
}
