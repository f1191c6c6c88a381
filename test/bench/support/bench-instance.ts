/** A Longshore of the bench's own with a git server beside it. Everything is ended again, whatever the bench does. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Json, type Longshore, startLongshore } from '../../support/instance/longshore.ts';
import { createRepository, type Repository, repositoryRoot } from '../../support/instance/repository.ts';
import { type GitServer, serveGit } from '../../support/servers/git-server.ts';
import { say } from './report.ts';

const attemptsMax = 20;
const attemptPauseMs = 10_000;

export interface BenchInstance {
  longshore: Longshore;
  /** Of the API. */
  url: string;
  apiKey: string;
  git: GitServer;
  repository(name: string, files: Record<string, string>): Promise<Repository>;
  /** A new service from a git repository. */
  service(repository: Repository, fields?: Record<string, unknown>): Promise<Json>;
  /** A new service from an image of this host. */
  imageService(name: string, imageRef: string): Promise<Json>;
  /** Queues a deployment and returns its id. */
  queue(serviceId: string): Promise<string>;
  /** Deploys and waits for the end. @throws Error with the log when it fails */
  deploy(serviceId: string): Promise<Json>;
}

export async function withInstance<Result>(
  use: (instance: BenchInstance) => Promise<Result>,
): Promise<Result> {
  const repositories = await repositoryRoot();
  const git = await serveGit(repositories.root);
  say('starting an instance');
  const longshore = await startWhenThereIsRoom();
  try {
    return await use(await benchInstance(longshore, git, repositories.root));
  } finally {
    say('ending the instance');
    await longshore.stop({ all: true });
    await git.close();
    await repositories.remove();
  }
}

/** A host has ports for four runners at once; others may be testing. */
async function startWhenThereIsRoom(): Promise<Longshore> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startLongshore();
    } catch (error) {
      if (attempt === attemptsMax || !String(error).includes('block of 1000 ports')) throw error;
      say('no room for another runner on this machine; waiting');
      await pause(attemptPauseMs);
    }
  }
}

async function benchInstance(longshore: Longshore, git: GitServer, root: string): Promise<BenchInstance> {
  const local = await readFile(join(longshore.dataDirectory, 'local.json'), 'utf8');
  const { url, apiKey }: { url: string; apiKey: string } = JSON.parse(local);
  const project = await longshore.call('POST', '/api/projects', { name: 'Bench', description: '' });
  const create = async (fields: Record<string, unknown>) => {
    const path = `/api/projects/${project.body.project.id}/services`;
    const { status, body } = await longshore.call('POST', path, {
      repoFullName: null,
      branch: 'main',
      ...fields,
    });
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body.service;
  };
  const queue = async (serviceId: string): Promise<string> =>
    (await longshore.call('POST', `/api/services/${serviceId}/deployments`)).body.deployment.id;
  return {
    longshore,
    url,
    apiKey,
    git,
    queue,
    repository: (name, files) => createRepository(root, name, files),
    service: ({ name }, fields = {}) => create({ name, repoUrl: `${git.url}/${name}`, ...fields }),
    imageService: (name, imageRef) =>
      create({ name, repoUrl: 'container-image', imageRef, runtimeMode: 'web', internalPort: 3000 }),
    async deploy(serviceId) {
      const id = await queue(serviceId);
      const deployment = await longshore.finished(id, serviceId);
      if (deployment.status !== 'running') throw new Error(await longshore.log(id));
      return deployment;
    },
  };
}
