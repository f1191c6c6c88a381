/** A complete Longshore for the tests of a file, and git repositories that it can deploy. */
import Docker from 'dockerode';
import { afterAll, beforeAll, expect } from 'vitest';
import type { EngineName } from '../../../protocol/database.ts';
import { labels } from '../../../protocol/names.ts';
import { type GitServer, type GitServerOptions, serveGit } from '../servers/git-server.ts';
import { type Json, type Longshore, type StartOptions, startLongshore } from './longshore.ts';
import { createRepository, type Repository, repositoryRoot } from './repository.ts';

export interface Instance extends Longshore {
  /** Calls the API; the call must succeed. @returns the body */
  ask(method: string, path: string, body?: unknown, token?: string): Promise<Json>;
  /** The same as the operator. */
  operate(method: string, path: string, body?: unknown): Promise<Json>;
  newProject(name: string): Promise<Json>;
  newService(project: Json, fields: Json): Promise<Json>;
  /** A running database. @param more fields of the service @param project undefined: a new project */
  newDatabase(engine: EngineName, more?: Json, project?: Json): Promise<Json>;
  /** Deploys the service and waits for the end, with any result. */
  deployed(serviceId: string): Promise<Json>;
  /** Deploys the service, which must be running afterwards. */
  deploy(serviceId: string): Promise<Json>;
  /** The overview of a service. */
  overview(serviceId: string): Promise<Json>;
}

/**
 * An instance for the tests of a file or of a `describe`. It is started before the first test, and removed with the data of its databases after the
 * last.
 */
export function useInstance(given: () => StartOptions = () => ({})): Instance {
  const used = {
    async ask(method, path, body, token) {
      const reply = await used.call(method, path, body, token);
      expect(reply.status, `${method} ${path}: ${JSON.stringify(reply.body)}`).toBe(200);
      return reply.body;
    },
    operate: (method, path, body) => used.ask(method, path, body, used.operatorToken),
    newProject: async (name) => (await used.ask('POST', '/api/projects', { name, description: '' })).project,
    newService: async ({ id }, fields) =>
      (await used.ask('POST', `/api/projects/${id}/services`, fields)).service,
    async newDatabase(engine, more = {}, project) {
      const fields = { name: 'db', repoUrl: 'database', repoFullName: `database:${engine}`, env: [] };
      const service = await used.newService(project ?? (await used.newProject(engine)), {
        ...fields,
        ...more,
      });
      await used.deploy(service.id);
      return service;
    },
    async deployed(serviceId) {
      const { deployment } = await used.ask('POST', `/api/services/${serviceId}/deployments`);
      return await used.finished(deployment.id, serviceId);
    },
    async deploy(serviceId) {
      const deployment = await used.deployed(serviceId);
      expect(deployment.status, await used.log(deployment.id)).toBe('running');
      return deployment;
    },
    overview: (serviceId) => used.ask('GET', `/api/services/${serviceId}/overview`),
  } as Instance;
  beforeAll(async () => {
    Object.assign(used, await startLongshore(given()));
  });
  afterAll(async () => {
    await used.stop?.({ all: true });
    // Data outlives its instance, in case the user needs it again. Tests don't.
    if (used.runnerId) await removeVolumes(used.runnerId);
  });
  return used;
}

/** Removes the data of all databases of a host. */
export async function removeVolumes(runnerId: string, docker = new Docker()): Promise<void> {
  const filters = { label: [`${labels.instance}=${runnerId}`] };
  for (const { Name } of (await docker.listVolumes({ filters })).Volumes)
    await docker.getVolume(Name).remove();
}

export interface ServedRepositories extends Pick<GitServer, 'url' | 'close'> {
  /** A new repository, served as `<url>/<name>`. */
  add(name: string, files: Record<string, string>): Promise<Repository>;
  /** The directory with the repositories. */
  root: string;
}

/** Git repositories for the tests of a file. Call this before `useInstance`, because they outlive the instance. */
export function useRepositories(options: GitServerOptions = {}): ServedRepositories {
  const used = { add: (name, files) => createRepository(used.root, name, files) } as ServedRepositories;
  let end = async () => {};
  beforeAll(async () => {
    const { root, remove } = await repositoryRoot();
    const git = await serveGit(root, options);
    end = () => git.close().then(remove);
    Object.assign(used, { root, url: git.url, close: git.close });
  });
  afterAll(() => end());
  return used;
}
