import { gitHubApiOf } from '../github-app.ts';
import { type CommitState, type CommitStatus, cutTo, type StatusRequest } from './commit-status.ts';

const states = {
  queued: 'pending',
  building: 'pending',
  running: 'success',
  failed: 'failure',
  aborted: 'error',
  replaced: 'error',
} as const satisfies Record<CommitState, string>;

/** The documentation of the endpoint names no limit; the page of a commit cuts longer texts. */
const descriptionMax = 140;

/** https://docs.github.com/en/rest/commits/statuses#create-a-commit-status */
export function githubStatus(status: CommitStatus, token: string): StatusRequest {
  const { host, repository, sha, state, context, description, url } = status;
  return {
    url: `${gitHubApiOf(host)}/repos/${repository}/statuses/${sha}`,
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/vnd.github+json',
      'x-github-api-version': '2022-11-28',
    },
    body: {
      state: states[state],
      context,
      description: cutTo(descriptionMax, description),
      target_url: url,
    },
  };
}
