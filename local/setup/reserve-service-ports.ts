/**
 * Reserves the ports of services, before a runner chooses its blocks among them. They are in the ephemeral range, so the kernel could
 * assign them to outgoing connections, and one port in use keeps Caddy from listening on a whole block. Each runner also reserves its own
 * blocks.
 */
import { reservePorts } from '../../runner/setup/reserved-ports.ts';
import { installAllowed } from './privileges.ts';

/** All blocks that a runner may choose from (docs/operate/hosts.md). */
export const serviceRange = { first: 41_000, last: 56_999 };

/** Lasts until the next boot. If it fails (no root, a container), everything still works, except in rare port collisions. */
export async function reserveServicePorts(say: (line: string) => void): Promise<void> {
  if (!installAllowed() || (await reservePorts([serviceRange]))) return;
  const { first, last } = serviceRange;
  say(
    `ports ${first} to ${last} could not be kept free for services (net.ipv4.ip_local_reserved_ports needs root)`,
  );
}
