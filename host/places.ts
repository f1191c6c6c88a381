/** Where a host's programs are. Data is elsewhere: in the runner's data directory. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StartError } from '../local/start-error.ts';
import { bootReservationFile } from '../runner/setup/reserved-ports.ts';
import { type HostRelease, releaseName } from './release.ts';

export interface Places {
  /** `/opt/longshore`: `node-<version>/`, `releases/<version>-<digest>/`, and the link `current` to one of them. */
  home: string;
  /** The runner's data directory, given to `enroll`. */
  data: string;
  /** Where Caddy is unpacked, if the machine has none. */
  tools: string;
  /** Where systemd looks for units. */
  units: string;
  /** What systemd tells the kernel at boot about ports. */
  portReservation: string;
  /** Docker's settings. */
  dockerSettings: string;
  /** The command `longshore-host`. */
  command: string;
}

/** @param root for tests: a directory in place of `/` */
export function placesUnder(root: string): Places {
  return {
    home: join(root, 'opt/longshore'),
    data: join(root, 'var/lib/longshore/runner'),
    tools: join(root, 'var/lib/longshore/tools'),
    units: join(root, 'etc/systemd/system'),
    portReservation: join(root, bootReservationFile),
    dockerSettings: join(root, 'etc/docker/daemon.json'),
    command: join(root, 'usr/local/bin/longshore-host'),
  };
}

export const currentLink = ({ home }: Places) => join(home, 'current');

/** Replaces a damaged release by the one before. Outside of all releases, because it must work without them. */
export const chooseRelease = ({ home }: Places) => join(home, 'choose-release');

export const releaseDirectory = ({ home }: Places, release: Pick<HostRelease, 'version' | 'sha256'>) =>
  join(home, 'releases', releaseName(release));

export const nodeDirectory = ({ home }: Places, version: string) => join(home, `node-${version}`);

/** The directory of the release that runs this command. */
export const ownRelease = () => fileURLToPath(new URL('.', import.meta.url)).replace(/\/$/, '');

/** @throws StartError on a processor without a build of Node */
export function processor(): 'x64' | 'arm64' {
  if (process.arch === 'x64' || process.arch === 'arm64') return process.arch;
  throw new StartError(
    'missing_tool',
    `Longshore runs on x86-64 and ARM64 processors, not on ${process.arch}.`,
  );
}
