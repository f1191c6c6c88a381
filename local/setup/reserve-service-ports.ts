/**
 * Keeps the kernel from lending the ports of services to outgoing connections, before a runner chooses its blocks among them: they lie
 * in the ephemeral range, and one port in use keeps Caddy from listening on a whole block. Each runner does it again for its own blocks.
 */
import { reservePorts } from '../../runner/setup/reserved-ports.ts';
import { installAllowed } from './privileges.ts';

/** All blocks that a runner may choose from (docs/operate/hosts.md). */
const serviceRange = { first: 41_000, last: 48_999 };

/** Until the next boot. Where it can't be done (no root, a container) all works but for chance. */
export async function reserveServicePorts(say: (line: string) => void): Promise<void> {
  if (!installAllowed() || (await reservePorts([serviceRange]))) return;
  const { first, last } = serviceRange;
  say(
    `ports ${first} to ${last} could not be kept free for services (net.ipv4.ip_local_reserved_ports needs root)`,
  );
}
