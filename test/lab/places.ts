/** Where the lab keeps its images and machines, and how its network is numbered. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../../local/start-error.ts';

export const labDirectory = process.env.LONGSHORE_LAB ?? '/srv/lsvm';

export const network = {
  bridge: 'lsvm0',
  /** This computer, for the machines. */
  gateway: '10.77.0.1',
  prefix: '10.77.0.',
  range: '10.77.0.0/24',
};

/** Releases of Debian and the Docker that each brings. */
export const releases: Record<string, { docker: string }> = {
  bookworm: { docker: '20.10' },
  trixie: { docker: '26.1' },
  forky: { docker: '28' },
};

export const imagePath = (release: string) => join(labDirectory, 'images', `${release}.ext4`);

export interface MachinePlaces {
  name: string;
  directory: string;
  disk: string;
  /** Where the disk is mounted. */
  root: string;
  /** The last part of its address. */
  number: string;
  /** The process of this computer whose child is the machine's process 1. */
  pid: string;
  /** The id of the process that starts it again at a reboot (power.sh). */
  power: string;
  /** While this file exists, a machine whose process 1 ends stays off. */
  off: string;
  console: string;
  /** A line with the time, in seconds, for each boot. */
  boots: string;
  namespace: string;
}

/** @throws StartError for a name that can't be one of a network device */
export function machinePlaces(name: string): MachinePlaces {
  if (!/^[a-z][a-z0-9]{0,9}$/.test(name))
    throw new StartError(
      'option',
      `"${name}" is no name for a machine: at most 10 lower-case letters and digits.`,
    );
  const directory = join(labDirectory, 'machines', name);
  const at = (file: string) => join(directory, file);
  return {
    name,
    directory,
    disk: at('disk.ext4'),
    root: at('root'),
    number: at('number'),
    pid: at('pid'),
    power: join(directory, 'power'),
    off: at('off'),
    console: at('console.log'),
    boots: at('boots'),
    namespace: `lsvm-${name}`,
  };
}

/** @throws StartError when there is no such machine */
export function addressOf(places: MachinePlaces): string {
  try {
    return network.prefix + readFileSync(places.number, 'utf8').trim();
  } catch {
    throw new StartError(
      'option',
      `There is no machine "${places.name}". Make one: npm run lab -- make trixie ${places.name}`,
    );
  }
}
