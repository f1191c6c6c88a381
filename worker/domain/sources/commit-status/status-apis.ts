/** The APIs of git hosts by which they get commit statuses. */
import { bitbucketStatus } from './bitbucket.ts';
import type { CommitStatus, StatusRequest } from './commit-status.ts';
import { giteaStatus } from './gitea.ts';
import { githubStatus } from './github.ts';
import { gitlabStatus } from './gitlab.ts';

/** Forgejo has the API of Gitea. */
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
