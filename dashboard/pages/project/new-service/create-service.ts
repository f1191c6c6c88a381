/** Creates what a plan was accepted with: databases, the service with its variables and volumes, and its first deployment. */
import type { Deployment } from '../../../../client/client.ts';
import { api } from '../../../api/client.ts';
import type { Service } from '../../../api/queries.ts';
import { queries } from '../../../api/query-client.ts';
import { follow } from '../../../api/started.ts';
import { newServiceText as texts } from '../../../text/new-service-text.ts';
import type { DroppedFolder } from './folder/dropped-folder.ts';
import type { NewServiceBody } from './plan-types.ts';

/** A request waits for so long; it is repeated until the database has started. */
const waitSeconds = 25;

export interface WantedService {
  body: NewServiceBody;
  /** Variables that are not references to new databases. */
  env: { key: string; value: string }[];
  newDatabases: { key: string; name: string; repoFullName: string; value: string }[];
  volumePaths: string[];
  folder: DroppedFolder | undefined;
  deploys: boolean;
}

/** @param say tells what happens now @returns the deployment to follow; without one, the service */
export async function createWanted(
  projectId: string,
  wanted: WantedService,
  say: (text: string) => void,
): Promise<{ service: Service; deployment: Deployment | undefined }> {
  const env = [...wanted.env];
  const host = wanted.body.runnerId === undefined ? {} : { runnerId: wanted.body.runnerId };
  for (const { key, name, repoFullName, value } of wanted.newDatabases) {
    say(texts.steps.database(name));
    const { service, deployment } = await createDatabase(projectId, { name, repoFullName, ...host });
    // The name may have been taken since the plan was made.
    env.push({ key, value: value.replace(/^\$\{[^.]+\./, `\${${service.slug}.`) });
    await ended(deployment);
  }
  say(texts.steps.service);
  const { service } = await api.call('POST /api/projects/:projectId/services', {
    params: { projectId },
    body: { ...wanted.body, env },
  });
  const params = { serviceId: service.id };
  for (const mountPath of wanted.volumePaths)
    await api.call('POST /api/services/:serviceId/volumes', {
      params,
      body: { name: mountPath.split('/').filter(Boolean).at(-1) ?? 'data', mountPath },
    });
  await renew();
  if (!wanted.deploys) return { service, deployment: undefined };
  const uploadId = wanted.folder && (await uploaded(service.id, wanted.folder, say));
  say(texts.steps.deploying);
  const { deployment } = await api.call('POST /api/services/:serviceId/deployments', {
    params,
    ...(uploadId === undefined ? {} : { body: { uploadId } }),
  });
  follow(deployment, service.name);
  return { service, deployment };
}

/** Creates a database and starts it. */
export async function createDatabase(
  projectId: string,
  body: { name: string; repoFullName: string; runnerId?: string },
): Promise<{ service: Service; deployment: Deployment }> {
  const { service } = await api.call('POST /api/projects/:projectId/services', {
    params: { projectId },
    body: { ...body, repoUrl: 'database' },
  });
  await renew();
  const { deployment } = await api.call('POST /api/services/:serviceId/deployments', {
    params: { serviceId: service.id },
  });
  follow(deployment, service.name);
  return { service, deployment };
}

async function ended(deployment: Deployment): Promise<void> {
  let { finishedAt } = deployment;
  while (finishedAt === null) {
    const reply = await api.call('GET /api/deployments/:deploymentId', {
      params: { deploymentId: deployment.id },
      query: { wait: waitSeconds },
    });
    finishedAt = reply.deployment.finishedAt;
  }
}

async function uploaded(
  serviceId: string,
  folder: DroppedFolder,
  say: (text: string) => void,
): Promise<string> {
  say(texts.steps.packing);
  const [{ packedFolder }, { sendFolder }] = await Promise.all([
    import('./folder/folder-tar.ts'),
    import('./folder/send-folder.ts'),
  ]);
  const archive = await packedFolder(folder);
  return sendFolder(serviceId, archive, (share) => say(texts.steps.sending(Math.round(share * 100))));
}

const renew = async () => {
  await queries.invalidateQueries({ queryKey: ['projects'] });
  await queries.invalidateQueries({ queryKey: ['project'] });
};
