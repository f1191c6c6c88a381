/**
 * Keeps the kernel from using ports of the proxy's range for outgoing connections.
 * If the local end of a loopback connection got such a port (even in TIME_WAIT), a later `listen` on it fails, and Caddy could not
 * start again after a crash. Source: ip_local_reserved_ports in the kernel's ip-sysctl documentation; seen on kernel 6.18.
 */
import { existsSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { replaceFile } from '../base/replace-file.ts';
import type { RunnerConfig } from './config.ts';

export interface PortRange {
  first: number;
  last: number;
}

const reservedPortsFile = '/proc/sys/net/ipv4/ip_local_reserved_ports';
/**
 * The file from which systemd reserves the ports at boot, before any program can take one: containerd listens on a port of the ephemeral
 * range before the runner starts. `longshore-host install` creates the file.
 */
export const bootReservationFile = '/etc/sysctl.d/99-longshore-ports.conf';

/**
 * Adds the ranges to the reserved ports; other reservations stay. The kernel forgets them at a reboot, so this runs at every start, and
 * updates the file for the next boot if it exists.
 * @returns false if the kernel setting can't be written (not root, or in a container)
 */
export async function reservePorts(
  ranges: readonly PortRange[],
  { file = reservedPortsFile, bootFile = bootReservationFile } = {},
): Promise<boolean> {
  try {
    const reserved = parseRanges(await readFile(file, 'utf8'));
    const missing = ranges.filter((range) => !reserved.some((other) => covers(other, range)));
    if (missing.length > 0) await writeFile(file, [...reserved, ...missing].map(formatRange).join(','));
    if (existsSync(bootFile)) await reserveAtBoot({ file, bootFile });
    return true;
  } catch {
    return false;
  }
}

/** Writes the kernel's present reservations to the boot file, so that those of other programs are kept. @throws Error of the file system */
export async function reserveAtBoot({
  file = reservedPortsFile,
  bootFile = bootReservationFile,
} = {}): Promise<void> {
  const reserved = (await readFile(file, 'utf8')).trim();
  const text = `# Ports of services, written by Longshore.\nnet.ipv4.ip_local_reserved_ports = ${reserved}\n`;
  if (!existsSync(bootFile) || readFileSync(bootFile, 'utf8') !== text) replaceFile(bootFile, text, 0o644);
}

/** All ports on which a runner's programs listen. Those of http and https are usually below the ephemeral range, but the operator chooses. */
export const portsOf = ({
  webPorts,
  databasePorts,
  httpPort,
  httpsPort,
}: Pick<RunnerConfig, 'webPorts' | 'databasePorts' | 'httpPort' | 'httpsPort'>): PortRange[] => [
  webPorts,
  databasePorts,
  ...[httpPort, httpsPort].map((port) => ({ first: port, last: port })),
];

function parseRanges(text: string): PortRange[] {
  return text
    .trim()
    .split(',')
    .filter((part) => part !== '')
    .map((part) => {
      const [first = 0, last = first] = part.split('-').map(Number);
      return { first, last };
    });
}

const covers = (outer: PortRange, inner: PortRange) => outer.first <= inner.first && inner.last <= outer.last;
const formatRange = ({ first, last }: PortRange) => (first === last ? `${first}` : `${first}-${last}`);
