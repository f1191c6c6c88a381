/** The objects of an instance on its host, and those of them that have no owner. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Docker from 'dockerode';
import { labels } from '../../../protocol/names.ts';
import type { Longshore } from './longshore.ts';

const docker = new Docker();

/** An old version drains for up to 30 s and may take 10 s to end. */
const quietWithinMs = 60_000;
const pollMs = 250;

export interface Remains {
  /** `name state`. */
  containers: string[];
  images: string[];
  networks: number;
  /** Service and deployment of each route. */
  routes: string[];
  work: string[];
  releases: string[];
}

async function remainsOf({ dataDirectory, runnerId }: Longshore): Promise<Remains> {
  const filters = { label: [`${labels.instance}=${runnerId}`] };
  const [containers, images, networks, routes, work, releases] = await Promise.all([
    docker.listContainers({ all: true, filters }),
    docker.listImages({ all: true, filters }),
    docker.listNetworks({ filters }),
    routesOf(dataDirectory),
    namesIn(dataDirectory, 'runner', 'work'),
    namesIn(dataDirectory, 'runner', 'sites', 'releases'),
  ]);
  return {
    containers: containers.map(({ Names, State }) => `${Names[0]?.slice(1)} ${State}`).sort(),
    images: images.flatMap(({ RepoTags, Id }) => (RepoTags ?? [`untagged ${Id}`]).map(withoutTag)).sort(),
    networks: networks.length,
    routes: routes.map(({ serviceId, deploymentId }) => `${serviceId} ${deploymentId}`).sort(),
    work,
    releases,
  };
}

/** The objects that should exist according to the API: one live container and one route per service, kept images, no open work. */
async function remainsWanted(longshore: Longshore, serviceIds: string[]): Promise<Remains> {
  const services = await Promise.all(
    serviceIds.map(async (serviceId) => {
      const { body } = await longshore.call('GET', `/api/services/${serviceId}/deployments`);
      const deployments = body.deployments as { id: string; status: string }[];
      const kept = deployments.filter(({ status }) => status === 'running' || status === 'superseded');
      return { serviceId, kept, live: deployments.find(({ status }) => status === 'running') };
    }),
  );
  const live = services.filter((one) => one.live !== undefined);
  return {
    containers: live.map(({ serviceId }) => `longshore-${serviceId}-stable running`).sort(),
    // Five are kept for rollback.
    images: services
      .flatMap(({ serviceId, kept }) => kept.slice(0, 5).map(({ id }) => `longshore-${serviceId}-${id}`))
      .sort(),
    networks: 1,
    routes: live.map(({ serviceId, live: one }) => `${serviceId} ${one?.id}`).sort(),
    work: [],
    releases: [],
  };
}

/** Waits until no object is without an owner. @returns both sides, for an assertion that shows the difference */
export async function settled(
  longshore: Longshore,
  serviceIds: string[],
): Promise<{ there: Remains; wanted: Remains }> {
  const endsAt = performance.now() + quietWithinMs;
  for (;;) {
    const [there, wanted] = await Promise.all([remainsOf(longshore), remainsWanted(longshore, serviceIds)]);
    if (JSON.stringify(there) === JSON.stringify(wanted) || performance.now() > endsAt)
      return { there, wanted };
    await pause(pollMs);
  }
}

async function routesOf(dataDirectory: string): Promise<{ serviceId: string; deploymentId: string }[]> {
  return JSON.parse(await readFile(join(dataDirectory, 'runner', 'edge', 'state.json'), 'utf8')).routes;
}

const namesIn = (...path: string[]) => readdir(join(...path)).catch(() => []);
const withoutTag = (name: string) => name.replace(/:latest$/, '');
