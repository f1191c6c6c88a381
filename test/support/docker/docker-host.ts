/** A data directory, a label and a base image for one test file; everything with this label is removed at the end. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type IdKind, newId } from '../../../protocol/ids.ts';
import { connectDocker, type DockerHost, ownedBy } from '../../../runner/docker/client.ts';
import { listContainers, removeContainer } from '../../../runner/docker/containers.ts';
import { ensureTestImage } from '../../stand-ins/ensure-test-image.ts';
import { commandLines } from '../command-lines.ts';

export const testId = (kind: IdKind) => newId(kind, (bytes) => crypto.getRandomValues(bytes));

export interface TestHost {
  docker: DockerHost;
  dataDirectory: string;
  /** Names of all objects of this instance: containers, images by label, networks. */
  leftovers(): Promise<string[]>;
  /** Names of this instance's volumes. */
  volumes(): Promise<string[]>;
  remove(): Promise<void>;
}

export async function testHost(): Promise<TestHost> {
  await ensureTestImage('node:24-slim');
  const docker = connectDocker(testId('runner'));
  const dataDirectory = await mkdtemp(join(tmpdir(), 'longshore-runner-'));
  const images = () => docker.engine.listImages({ filters: ownedBy(docker) });
  const volumes = async () => (await docker.engine.listVolumes({ filters: ownedBy(docker) })).Volumes;
  const networks = () => docker.engine.listNetworks({ filters: ownedBy(docker) });
  return {
    docker,
    dataDirectory,
    volumes: async () => (await volumes()).map((volume) => volume.Name),
    async leftovers() {
      return [
        ...(await listContainers(docker)).map((container) => container.name),
        ...(await images()).flatMap((image) => image.RepoTags ?? [image.Id]),
        ...(await networks()).map((network) => network.Name),
      ];
    },
    async remove() {
      for (const container of await listContainers(docker)) await removeContainer(docker, container.id);
      for (const image of await images()) await docker.engine.getImage(image.Id).remove({ force: true });
      for (const volume of await volumes()) await docker.engine.getVolume(volume.Name).remove();
      for (const network of await networks()) await docker.engine.getNetwork(network.Id).remove();
      await rm(dataDirectory, { recursive: true, force: true });
    },
  };
}

/** `docker inspect` by name. */
export const inspect = (docker: DockerHost, name: string) => docker.engine.getContainer(name).inspect();

/** Whether a process on the host has this text in its command line. */
export function runsOnHost(text: string): boolean {
  return commandLines().some((line) => line.includes(text));
}
