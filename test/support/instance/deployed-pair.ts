/** An instance behind a Docker gateway with two apps: `subject`, which is deployed, and `neighbour`, which must never be affected. */
import { setTimeout as pause } from 'node:timers/promises';
import { type GitServer, serveGit } from '../servers/git-server.ts';
import { type DockerGateway, dockerGateway } from './docker-gateway.ts';
import { type Json, type Longshore, startLongshore } from './longshore.ts';
import { createRepository, type Repository, repositoryRoot } from './repository.ts';

export interface DeployedPair {
  longshore: Longshore;
  gateway: DockerGateway;
  subject: Json;
  neighbour: Json;
  repository: Repository;
  /** Holds the next request to the subject's repository. Resolves, when the request has arrived, with a function that releases it. */
  holdGit(): Promise<{ release: () => void }>;
  /** Commits a version that answers `text` and queues its deployment. */
  deploy(text: string): Promise<string>;
  /** Waits until the deployment is final, through restarts of everything. */
  final(deploymentId: string): Promise<Json>;
  answer(): Promise<string>;
  close(): Promise<void>;
}

const finalWithinMs = 150_000;
const pollMs = 100;

/** A build of about a second, whatever Docker has cached, and an app that listens after a short delay. */
export const slowApp = (text: string) => ({
  Dockerfile: [
    'FROM node:24-slim',
    'WORKDIR /app',
    'COPY server.js .',
    `RUN echo "making ${text}" && sleep 1`,
    'USER node',
    'CMD ["node", "server.js"]',
  ].join('\n'),
  'server.js': `
    const server = require('node:http').createServer((request, response) => {
      request.resume();
      request.on('end', () => response.end(${JSON.stringify(text)}));
    });
    setTimeout(() => server.listen(process.env.PORT), 400);
    process.on('SIGTERM', () => server.close(() => process.exit(0)));
  `,
});

/** @param env additional environment of the instance */
export async function deployedPair(env: Record<string, string> = {}): Promise<DeployedPair> {
  const repositories = await repositoryRoot();
  const gitGate: { wanted?: () => Promise<void> } = {};
  const git: GitServer = await serveGit(repositories.root, {
    gate: async (path) => {
      const { wanted } = gitGate;
      if (!wanted || !path.startsWith('/subject')) return;
      delete gitGate.wanted;
      await wanted();
    },
  });
  const gateway = await dockerGateway();
  const longshore = await startLongshore({ env: { DOCKER_HOST: gateway.host, ...env } });
  const { body } = await longshore.call('POST', '/api/projects', { name: 'Faults', description: '' });
  const queue = async (serviceId: string): Promise<string> =>
    (await longshore.call('POST', `/api/services/${serviceId}/deployments`)).body.deployment.id;
  const create = async (name: string) => {
    const repository = await createRepository(repositories.root, name, slowApp(`${name} 0`));
    const fields = { name, repoFullName: null, repoUrl: `${git.url}/${name}`, branch: 'main' };
    const created = await longshore.call('POST', `/api/projects/${body.project.id}/services`, {
      ...fields,
      runtimeMode: 'web',
      internalPort: 3000,
    });
    const { service } = created.body;
    const deployment = await longshore.finished(await queue(service.id), service.id);
    if (deployment.status !== 'running') throw new Error(await longshore.log(deployment.id));
    return { repository, service };
  };
  const neighbour = await create('neighbour');
  const subject = await create('subject');
  return {
    longshore,
    gateway,
    subject: subject.service,
    neighbour: neighbour.service,
    repository: subject.repository,
    holdGit: () => {
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      return new Promise((resolve) => {
        gitGate.wanted = () => {
          resolve({ release });
          return released;
        };
      });
    },
    async deploy(text) {
      await subject.repository.commit(slowApp(text));
      return queue(subject.service.id);
    },
    final: (deploymentId) => final(longshore, subject.service.id, deploymentId),
    answer: async () => (await fetch(`http://127.0.0.1:${subject.service.hostPort}`)).text(),
    async close() {
      await gateway.mend();
      await longshore.stop({ all: true });
      await gateway.close();
      await git.close();
      await repositories.remove();
    },
  };
}

async function final(longshore: Longshore, serviceId: string, deploymentId: string): Promise<Json> {
  const endsAt = performance.now() + finalWithinMs;
  for (;;) {
    // The control plane may be down at this moment.
    const reply = await longshore
      .call('GET', `/api/services/${serviceId}/deployments`)
      .catch(() => undefined);
    const found = reply?.body.deployments?.find((one: Json) => one.id === deploymentId);
    if (found && found.status !== 'queued' && found.status !== 'building') return found;
    if (performance.now() > endsAt) throw new Error(`not final: ${JSON.stringify(found ?? reply)}`);
    await pause(pollMs);
  }
}
