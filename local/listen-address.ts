/** The address of `npm start -- --listen`: plain http is served only where the network is the operator's own. */
import { BlockList, isIP } from 'node:net';
import { StartError } from './start-error.ts';

/** RFC 1918, RFC 6598 (networks such as Tailscale's), RFC 4193 and link-local addresses. */
const ownNetworks = new BlockList();
ownNetworks.addSubnet('10.0.0.0', 8, 'ipv4');
ownNetworks.addSubnet('172.16.0.0', 12, 'ipv4');
ownNetworks.addSubnet('192.168.0.0', 16, 'ipv4');
ownNetworks.addSubnet('169.254.0.0', 16, 'ipv4');
ownNetworks.addSubnet('100.64.0.0', 10, 'ipv4');
ownNetworks.addSubnet('fc00::', 7, 'ipv6');
ownNetworks.addSubnet('fe80::', 10, 'ipv6');

const wayOut =
  'Put a reverse proxy with a certificate in front of it instead (docs/operate/reverse-proxy.md), or give an address of a private network such as 10.0.0.2.';

/**
 * @returns the address, if keys may be sent to it without TLS
 * @throws StartError `option` for a name, for all addresses of the machine, and for public ones
 */
export function privateAddress(text: string): string {
  const kind = isIP(text);
  if (kind === 0)
    throw new StartError('option', `--listen needs an IP address of this machine, not "${text}".`);
  if (/^127\.|^::1$/.test(text))
    throw new StartError(
      'option',
      `The API always listens on 127.0.0.1. --listen adds an address for other machines: give one of theirs, not ${text}.`,
    );
  if (/^0\.0\.0\.0$|^::$/.test(text))
    throw new StartError(
      'option',
      `--listen ${text} would serve plain http to every network of this machine, and keys could be read on the way. ${wayOut}`,
    );
  if (!ownNetworks.check(text, kind === 6 ? 'ipv6' : 'ipv4'))
    throw new StartError(
      'option',
      `${text} is a public address: keys would be sent over plain http, and could be read on the way. ${wayOut}`,
    );
  return text;
}

/** `10.0.0.2:8787`, or `[fd00::2]:8787`. */
export const hostAndPort = (address: string, port: number): string =>
  address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
