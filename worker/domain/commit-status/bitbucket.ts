import type { CommitState, CommitStatus, StatusRequest } from './commit-status.ts';

const states = {
  queued: 'INPROGRESS',
  building: 'INPROGRESS',
  running: 'SUCCESSFUL',
  failed: 'FAILED',
  aborted: 'STOPPED',
  replaced: 'STOPPED',
} as const satisfies Record<CommitState, string>;

/** Keys have at most 40 characters. */
const keyMax = 40;
const descriptionMax = 255;

/** https://developer.atlassian.com/cloud/bitbucket/rest/api-group-commit-statuses/: `key`, `state` and `url` are required. */
export function bitbucketStatus(status: CommitStatus, token: string): StatusRequest {
  const { host, repository, sha, state, context, description, url } = status;
  return {
    url: `https://api.${host}/2.0/repositories/${repository}/commit/${sha}/statuses/build`,
    headers: { authorization: `Bearer ${token}` },
    body: {
      key: context.slice(-keyMax),
      name: context,
      state: states[state],
      description: description.slice(0, descriptionMax),
      url: url ?? `https://${host}/${repository}/commits/${sha}`,
    },
  };
}
