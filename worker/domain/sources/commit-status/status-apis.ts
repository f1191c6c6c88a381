/** The APIs of git hosts that receive commit statuses. */
import { gitHubApiOf } from '../github-app.ts';
import { type CommitState, type CommitStatus, cutTo, type StatusRequest } from './commit-status.ts';

/** Forgejo has Gitea's API. */
export const statusApis = ['github', 'gitlab', 'gitea', 'bitbucket'] as const;
export type StatusApi = (typeof statusApis)[number];

const requests: Record<StatusApi, (status: CommitStatus, token: string) => StatusRequest> = {
  github: githubStatus,
  gitlab: gitlabStatus,
  gitea: giteaStatus,
  bitbucket: bitbucketStatus,
};

export const statusRequest = (api: StatusApi, status: CommitStatus, token: string): StatusRequest =>
  requests[api](status, token);

/** The states of GitHub and Gitea. */
const gitHubStates = {
  queued: 'pending',
  building: 'pending',
  running: 'success',
  failed: 'failure',
  aborted: 'error',
  replaced: 'error',
  awaiting: 'pending',
  refused: 'failure',
} as const satisfies Record<CommitState, string>;

/** The limit of all hosts except GitHub. */
const descriptionMax = 255;

const bitbucketStates = {
  queued: 'INPROGRESS',
  building: 'INPROGRESS',
  running: 'SUCCESSFUL',
  failed: 'FAILED',
  aborted: 'STOPPED',
  replaced: 'STOPPED',
  awaiting: 'INPROGRESS',
  refused: 'FAILED',
} as const satisfies Record<CommitState, string>;

/** Keys have at most 40 characters. */
const keyMax = 40;

/** https://developer.atlassian.com/cloud/bitbucket/rest/api-group-commit-statuses/: `key`, `state` and `url` are required. */
function bitbucketStatus(status: CommitStatus, token: string): StatusRequest {
  const { host, repository, sha, state, context, description, url } = status;
  return {
    url: `https://api.${host}/2.0/repositories/${repository}/commit/${sha}/statuses/build`,
    headers: { authorization: `Bearer ${token}` },
    body: {
      key: keyOf(context),
      name: context,
      state: bitbucketStates[state],
      description: cutTo(descriptionMax, description),
      url: url ?? `https://${host}/${repository}/commits/${sha}`,
    },
  };
}

/** Services of several projects can have the same end of a long context: a hash of the whole context (FNV-1a) distinguishes them. */
function keyOf(context: string): string {
  if (context.length <= keyMax) return context;
  let hash = 0x811c9dc5;
  for (const char of context) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  const suffix = `-${(hash >>> 0).toString(16).padStart(8, '0')}`;
  return `${context.slice(0, keyMax - suffix.length)}${suffix}`;
}

/** Gitea and Forgejo: https://docs.gitea.com/api/next/#tag/repository/operation/repoCreateStatus */
function giteaStatus(status: CommitStatus, token: string): StatusRequest {
  const { host, repository, sha, state, context, description, url } = status;
  return {
    url: `https://${host}/api/v1/repos/${repository}/statuses/${sha}`,
    headers: { authorization: `token ${token}` },
    body: {
      state: gitHubStates[state],
      context,
      description: cutTo(descriptionMax, description),
      target_url: url ?? '',
    },
  };
}

/** The documentation of the endpoint mentions no limit; the page of a commit truncates longer texts. */
const githubDescriptionMax = 140;

/** https://docs.github.com/en/rest/commits/statuses#create-a-commit-status */
function githubStatus(status: CommitStatus, token: string): StatusRequest {
  const { host, repository, sha, state, context, description, url } = status;
  return {
    url: `${gitHubApiOf(host)}/repos/${repository}/statuses/${sha}`,
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/vnd.github+json',
      'x-github-api-version': '2022-11-28',
    },
    body: {
      state: gitHubStates[state],
      context,
      description: cutTo(githubDescriptionMax, description),
      target_url: url,
    },
  };
}

const gitlabStates = {
  queued: 'pending',
  building: 'running',
  running: 'success',
  failed: 'failed',
  aborted: 'canceled',
  replaced: 'canceled',
  awaiting: 'pending',
  refused: 'failed',
} as const satisfies Record<CommitState, string>;

/** https://docs.gitlab.com/api/commits/#set-commit-pipeline-status */
function gitlabStatus(status: CommitStatus, token: string): StatusRequest {
  const { host, repository, sha, state, context, description, url } = status;
  return {
    url: `https://${host}/api/v4/projects/${encodeURIComponent(repository)}/statuses/${sha}`,
    headers: { authorization: `Bearer ${token}` },
    body: {
      state: gitlabStates[state],
      name: context,
      description: cutTo(descriptionMax, description),
      ...(url !== null && { target_url: url }),
    },
  };
}
