/** Keeps users' addresses out of the host's own networks: a name is resolved and checked here, and the checked address is used. */
import ipaddr from 'ipaddr.js';
import { isPublic } from '../../protocol/public-address.ts';
import { JobFailure } from '../base/job-failure.ts';
import { publicAddressesOf, sameSpelling } from '../base/own-addresses.ts';
import { type Resolve, systemResolve } from './system-resolve.ts';

const resolveTimeoutMs = 10_000;

export interface PortRange {
  first: number;
  last: number;
}

/** The purpose of a guarded connection, and the operator's permission for it. */
export interface AddressRules {
  /** True if the operator allows loopback, private and link-local addresses. */
  allowPrivate: boolean;
  /** The purpose in the permission; `git` by default. */
  use?: 'git' | 'import' | 'drain';
  /** The port of the connection: on this host itself only public ports are allowed. */
  port: number;
  /** Public ports of this host besides those of ssh, http and https. */
  alsoOpen?: PortRange;
  resolve?: Resolve;
  /** This host's own public addresses; by default those of its interfaces. */
  own?: readonly string[];
}

/** ssh, http and https of this host: a repository on this host may use the ports that the whole internet may use. */
const openPorts = [22, 80, 443];

/**
 * The address to connect to for this host name.
 * @throws JobFailure `source_failed` when the name has no address, or no server answers; `source_refused` when any of its addresses is not public, or
 *   is this host itself
 */
export async function guardedAddress(host: string, rules: AddressRules): Promise<string> {
  const { allowPrivate, port, use = 'git', alsoOpen, resolve = systemResolve } = rules;
  const isAddress = ipaddr.isValid(host) && !/^\d+$/.test(host);
  const addresses = isAddress ? [host] : await resolved(host, resolve);
  const [first] = addresses;
  if (first === undefined) throw new JobFailure('source_failed', `The host ${host} was not found.`);
  if (allowPrivate) return first;
  const allowance = `which this host's operator has not allowed (LONGSHORE_ALLOW_PRIVATE=${use}).`;
  if (!addresses.every(isPublic))
    throw new JobFailure('source_refused', `${host} leads to a private address, ${allowance}`);
  // A firewall in front of this host does not see packets from the host to itself.
  const own = rules.own ?? publicAddressesOf();
  const isOwn = addresses.some((address) => own.includes(sameSpelling(address)));
  const isOpen = openPorts.includes(port) || (alsoOpen && port >= alsoOpen.first && port <= alsoOpen.last);
  if (isOwn && !isOpen)
    throw new JobFailure('source_refused', `${host} leads to port ${port} of this host itself, ${allowance}`);
  return first;
}

async function resolved(host: string, resolve: Resolve): Promise<string[]> {
  const tooLate = new Promise<never>((_, reject) => {
    const deadline = AbortSignal.timeout(resolveTimeoutMs);
    deadline.addEventListener('abort', () => reject(deadline.reason), { once: true });
  });
  try {
    return await Promise.race([resolve(host), tooLate]);
  } catch (cause) {
    const { name, code } = cause as NodeJS.ErrnoException;
    const reason = name === 'TimeoutError' ? `not within ${resolveTimeoutMs / 1_000} s` : (code ?? name);
    throw new JobFailure(
      'source_failed',
      `The name servers of this host gave no answer for ${host} (${reason}). The name may exist: try again.`,
      { cause },
    );
  }
}
