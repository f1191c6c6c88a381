/** A container of the platform's own image, with volumes and nothing else: no network, no tenant's program, a read-only root file system. */
import { withEveryLabel } from '../../../protocol/names.ts';
import type { ContainerTools } from '../../engines/container-tools.ts';
import { call, type DockerHost } from '../client.ts';
import { createWithVolumes, removeContainer, startContainer } from '../containers.ts';
import { execTools } from '../exec-tools.ts';
import { helperImage } from './helper-image.ts';

/** A volume in the container, by its name in Docker. */
export interface HelperMount {
  name: string;
  path: string;
  readOnly?: boolean;
}

export interface HelperRequest {
  /** The container's name. A container that a killed runner has left is replaced. */
  name: string;
  labels: Record<string, string>;
  mounts: readonly HelperMount[];
}

/** A helper whose runner has died ends by itself, after the end of any job. */
const lifetimeSeconds = 24 * 3_600;
const memoryBytes = 512 * 2 ** 20;
/** The capabilities to read and write files of any owner, with their owners, modes and file capabilities. */
const capabilities = ['CHOWN', 'DAC_OVERRIDE', 'DAC_READ_SEARCH', 'FOWNER', 'FSETID', 'KILL', 'SETFCAP'];

/**
 * Starts the container for `work`, and removes it afterwards.
 * @param work runs programs of the image, as root of the container
 * @throws DockerError; the errors of `work`
 */
export async function withHelper<T>(
  host: DockerHost,
  { name, labels, mounts }: HelperRequest,
  work: (tools: ContainerTools) => Promise<T>,
): Promise<T> {
  const Image = await helperImage(host);
  await removeContainer(host, name);
  try {
    const id = await createWithVolumes(host, {
      ...{ name, Image, Entrypoint: ['/bin/sleep'], Cmd: [String(lifetimeSeconds)], Env: ['PATH=/bin'] },
      Labels: withEveryLabel(labels),
      HostConfig: {
        NetworkMode: 'none',
        ReadonlyRootfs: true,
        CapDrop: ['ALL'],
        CapAdd: capabilities,
        SecurityOpt: ['no-new-privileges'],
        Memory: memoryBytes,
        MemorySwap: memoryBytes,
        PidsLimit: 64,
        RestartPolicy: { Name: 'no' },
        Init: false,
        LogConfig: { Type: 'none', Config: {} },
        Mounts: mounts.map(({ name: Source, path: Target, readOnly: ReadOnly = false }) => ({
          ...{ Type: 'volume' as const, Source, Target, ReadOnly },
        })),
      },
    });
    await call('start the helper container', () => startContainer(host, id));
    return await work(execTools(host, id));
  } finally {
    await removeContainer(host, name).catch(() => {}); // a leftover is replaced by the next one, and ends by itself
  }
}
