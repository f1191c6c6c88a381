/** Networks for one container that the host alone reaches. */
import { call, type DockerHost, ownedBy } from './client.ts';
import { isNotFound } from './docker-error.ts';
import { createNetwork } from './new-network.ts';
import { inTurn } from './turns.ts';

/** Makes a network of which no way leads out; the host alone reaches what is on it. @returns its id */
export function createClosedNetwork(host: DockerHost, name: string, networkRange: string): Promise<string> {
  return inTurn(
    'create',
    async () => (await createNetwork(host, { name, projectId: null }, networkRange)).id,
  );
}

/** Removes a closed network; one that is gone already is fine. @throws DockerError while a container is on it */
export async function removeClosedNetwork(host: DockerHost, name: string): Promise<void> {
  const found = await call('list the networks', () =>
    host.engine.listNetworks({ filters: { ...ownedBy(host), name: [name] } }),
  );
  // Docker's filter takes a part of a name.
  for (const { Id } of found.filter(({ Name }) => Name === name)) {
    await call('remove the network', () => host.engine.getNetwork(Id).remove()).catch((error) => {
      if (!isNotFound(error)) throw error;
    });
  }
}
