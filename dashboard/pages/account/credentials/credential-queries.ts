/** The queries for credentials. */

import type { ReplyOf } from '../../../../client/client.ts';
import { api } from '../../../api/client.ts';
import { queries } from '../../../api/query-client.ts';
import { useQuery } from '../../../api/use-query.ts';

export type Registry = ReplyOf<'GET /api/registries'>['registries'][number];
export type GitCredential = ReplyOf<'GET /api/git-credentials'>['gitCredentials'][number];
export type GithubApp = ReplyOf<'GET /api/github-apps'>['githubApps'][number];
export type BackupKey = ReplyOf<'GET /api/backup-keys'>['backupKeys'][number];

type Kind = 'registries' | 'git-hosts' | 'github-apps';

export const useRegistries = () =>
  useQuery(() => ({
    queryKey: ['credentials', 'registries'],
    queryFn: async ({ signal }) => (await api.all('GET /api/registries', { signal })).registries,
  }));

export const useGitCredentials = () =>
  useQuery(() => ({
    queryKey: ['credentials', 'git-hosts'],
    queryFn: async ({ signal }) => (await api.all('GET /api/git-credentials', { signal })).gitCredentials,
  }));

export const useGithubApps = () =>
  useQuery(() => ({
    queryKey: ['credentials', 'github-apps'],
    queryFn: async ({ signal }) => (await api.call('GET /api/github-apps', { signal })).githubApps,
  }));

export const useBackupKeys = () =>
  useQuery(() => ({
    queryKey: ['credentials', 'backup-keys'],
    queryFn: async ({ signal }) => (await api.all('GET /api/backup-keys', { signal })).backupKeys,
  }));

/** Renews the credentials of one kind. */
export const renewCredentials = (kind: Kind): Promise<void> =>
  queries.invalidateQueries({ queryKey: ['credentials', kind] });
