/** The queries of the pages. Each query has one key, so that an action can renew exactly the data that it changed. */

import type { ReplyOf } from '../../client/client.ts';
import { placeText } from '../text/place-text.ts';
import { api } from './client.ts';
import { queries } from './query-client.ts';
import { isSignedIn } from './session.ts';
import { useQuery } from './use-query.ts';

export type Project = ReplyOf<'GET /api/projects'>['projects'][number];
export type Service = Project['services'][number];
export type Overview = ReplyOf<'GET /api/services/:serviceId/overview'>;
export type Deployment = Overview['deployments'][number];
export type Variable = Overview['env'][number];
export type References = ReplyOf<'GET /api/projects/:projectId/references'>;
export type UsableHost = ReplyOf<'GET /api/hosts'>['hosts'][number];
export type OwnKey = ReplyOf<'GET /api/key'>['key'];

export const useKey = () =>
  useQuery(() => ({
    queryKey: ['key'],
    enabled: isSignedIn(),
    staleTime: 60_000,
    queryFn: async ({ signal }) => (await api.call('GET /api/key', { signal })).key,
  }));

/** The hosts that services can use. They change rarely, so the next page that needs them requests them again. */
export const useUsableHosts = () =>
  useQuery(() => ({
    queryKey: ['hosts'],
    enabled: isSignedIn(),
    staleTime: 15_000,
    queryFn: async ({ signal }) => (await api.all('GET /api/hosts', { signal })).hosts,
  }));

/** The hosts that accept services, as choices of a field. @param isLeftOut for example the host of the service itself */
export const hostChoices = (hosts: readonly UsableHost[], isLeftOut = (_: UsableHost) => false) =>
  hosts
    .filter((host) => host.takesServices && !isLeftOut(host))
    .map(({ id, name, connected }) => ({ value: id, text: connected ? name : placeText.away(name) }));

export const useProjects = () =>
  useQuery(() => ({
    queryKey: ['projects'],
    enabled: isSignedIn(),
    queryFn: async ({ signal }) => (await api.all('GET /api/projects', { signal })).projects,
  }));

export const useProject = (slug: () => string) =>
  useQuery(() => ({
    queryKey: ['project', slug()],
    enabled: isSignedIn(),
    queryFn: async ({ signal }) =>
      (await api.call('GET /api/projects/:projectSlug', { params: { projectSlug: slug() }, signal })).project,
  }));

/** The references between services by variables, and the names that references can use. */
export const useReferences = (projectId: () => string) =>
  useQuery(() => ({
    queryKey: ['references', projectId()],
    enabled: isSignedIn() && projectId() !== '',
    queryFn: ({ signal }) =>
      api.call('GET /api/projects/:projectId/references', { params: { projectId: projectId() }, signal }),
  }));

export const useOverview = (serviceId: () => string) =>
  useQuery(() => ({
    queryKey: ['service', serviceId()],
    enabled: isSignedIn() && serviceId() !== '',
    queryFn: ({ signal }) =>
      api.call('GET /api/services/:serviceId/overview', { params: { serviceId: serviceId() }, signal }),
  }));

export const useDeployment = (deploymentId: () => string) =>
  useQuery(() => ({
    queryKey: ['deployment', deploymentId()],
    enabled: isSignedIn(),
    queryFn: async ({ signal }) =>
      (
        await api.call('GET /api/deployments/:deploymentId', {
          params: { deploymentId: deploymentId() },
          signal,
        })
      ).deployment,
  }));

export const useSessions = () =>
  useQuery(() => ({
    queryKey: ['sessions'],
    enabled: isSignedIn(),
    queryFn: async ({ signal }) => api.call('GET /api/sessions', { signal }),
  }));

/** Renews all data that depends on a service. */
export async function renewService(serviceId: string): Promise<void> {
  await Promise.all([
    queries.invalidateQueries({ queryKey: ['service', serviceId] }),
    queries.invalidateQueries({ queryKey: ['projects'] }),
    queries.invalidateQueries({ queryKey: ['project'] }),
    queries.invalidateQueries({ queryKey: ['references'] }),
    queries.invalidateQueries({ queryKey: ['attention'] }),
    queries.invalidateQueries({ queryKey: ['deployment'] }),
  ]);
}
