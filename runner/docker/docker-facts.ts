/** Reads the facts about the daemon that the control plane needs. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { runcVersionOf } from '../../protocol/runc-fixes.ts';
import { call, type DockerHost, ownedBy } from './client.ts';
import { listsInit } from './init-process.ts';

export interface DockerFacts {
  version: string;
  /** The version and build of its runc; `null` if Docker does not report it. */
  runcVersion: string | null;
  /** True if Docker can start docker-init as the first process of a container. */
  initProcess: boolean;
  /** Root in a container is an unprivileged user on the host: `userns-remap`, or rootless mode. */
  userNamespaces: boolean;
  /** Running containers are in an AppArmor profile; `null` if Docker does not report AppArmor, or no container runs. */
  appArmor: boolean | null;
  /** The daemon can limit the disk space of a container (`--storage-opt size`). */
  storageLimits: boolean;
}

/** The fields of `GET /info` that are used: https://docs.docker.com/reference/api/engine/version/v1.41/#tag/System/operation/SystemInfo */
const infoSchema = z.object({
  Driver: z.string(),
  DockerRootDir: z.string(),
  SecurityOptions: z.array(z.string()).nullish(),
});

/** The fields of `GET /version` that are used: https://docs.docker.com/reference/api/engine/version/v1.41/#tag/System/operation/SystemVersion */
const versionSchema = z.object({
  Version: z.string(),
  Components: z
    .array(
      z.object({
        Name: z.string(),
        Version: z.string(),
        Details: z.object({ GitCommit: z.string().optional() }).nullish(),
      }),
    )
    .nullish(),
});

type Info = z.infer<typeof infoSchema>;
type Versions = Pick<DockerFacts, 'version' | 'runcVersion' | 'initProcess'>;

/** @returns `null` if the daemon does not answer */
export async function readDockerFacts(host: DockerHost): Promise<DockerFacts | null> {
  const versions = await readVersions(host);
  if (versions === null) return null;
  try {
    const info = infoSchema.parse(await call('read its settings', () => host.engine.info()));
    const mounts = await readFile('/proc/self/mounts', 'utf8');
    return {
      ...versions,
      userNamespaces: hasUserNamespaces(info),
      storageLimits: hasStorageLimits(info, mounts),
      appArmor: optionsOf(info).includes('name=apparmor') ? await isConfined(host) : null,
    };
  } catch {
    return { ...versions, userNamespaces: false, storageLimits: false, appArmor: null };
  }
}

async function readVersions(host: DockerHost): Promise<Versions | null> {
  try {
    const { Version, Components } = versionSchema.parse(
      await call('read its version', () => host.engine.version()),
    );
    return { version: Version, runcVersion: runcVersionOf(Components), initProcess: listsInit(Components) };
  } catch {
    return null;
  }
}

/** Options are lists such as `name=seccomp,profile=default`. */
export function hasUserNamespaces({ SecurityOptions }: Pick<Info, 'SecurityOptions'>): boolean {
  const names = optionsOf({ SecurityOptions });
  return names.includes('name=userns') || names.includes('name=rootless');
}

const optionsOf = ({ SecurityOptions }: Pick<Info, 'SecurityOptions'>) =>
  (SecurityOptions ?? []).map((option) => option.split(',')[0]);

/**
 * Docker reports AppArmor if the kernel has it on. Without AppArmor's tools, however, Docker loads no profile and starts containers without
 * one, so the kernel is asked.
 * @returns `null` if no container of this instance runs, or the kernel has no answer
 */
async function isConfined(host: DockerHost): Promise<boolean | null> {
  const running = await call('list the containers', () =>
    host.engine.listContainers({ limit: confinedSample, filters: { ...ownedBy(host), status: ['running'] } }),
  );
  const profiles = await Promise.all(
    running.map(async ({ Id }) => {
      const { State } = await call('inspect the container', () => host.engine.getContainer(Id).inspect());
      return await readFile(`/proc/${State.Pid}/attr/current`, 'utf8').catch(() => '');
    }),
  );
  return areConfined(profiles);
}

const confinedSample = 5;

/**
 * @param profiles texts of /proc/PID/attr/current, such as `docker-default (enforce)`; empty if the kernel has none
 * @returns `null` if the kernel has no profile of any container
 */
export function areConfined(profiles: readonly string[]): boolean | null {
  const told = profiles.map((text) => text.replaceAll('\0', '').trim()).filter((profile) => profile !== '');
  return told.length === 0 ? null : !told.includes('unconfined');
}

/**
 * The driver overlay2 can do it on XFS with project quotas (https://docs.docker.com/reference/cli/docker/container/run/#storage-opt).
 * The kernel shows the mount option `pquota` as `prjquota`.
 * @param mounts text of /proc/self/mounts
 */
export function hasStorageLimits(
  { Driver, DockerRootDir }: Pick<Info, 'Driver' | 'DockerRootDir'>,
  mounts: string,
): boolean {
  if (Driver !== 'overlay2') return false;
  const holding = mounts
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, point = '']) => `${DockerRootDir}/`.startsWith(point === '/' ? '/' : `${point}/`));
  // The later of two mounts at the same point is in effect.
  const [, , type, options = ''] = holding.reduce((best, next) => (isDeeper(best, next) ? best : next), []);
  return type === 'xfs' && options.split(',').some((one) => one === 'prjquota' || one === 'pquota');
}

const isDeeper = ([, one = '']: string[], [, other = '']: string[]) => one.length > other.length;
