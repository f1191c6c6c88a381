/** Keeps users' addresses out of the host's own networks: a name is resolved and checked here, and the checked address is used. */
import { lookup } from 'node:dns/promises';
import ipaddr from 'ipaddr.js';
import { JobFailure } from '../base/job-failure.ts';

/** Resolves a name to all its addresses. */
export type Resolve = (host: string) => Promise<string[]>;

const resolveTimeoutMs = 10_000;

/** Uses the system's resolver, including the hosts file, as git itself would. */
export const systemResolve: Resolve = async (host) => {
  const answers = await lookup(host, { all: true, verbatim: true });
  return answers.map((answer) => answer.address);
};

/**
 * The address to connect to for this host name.
 * @param allowPrivate whether the operator allows loopback, private and link-local addresses
 * @param use what the permission is for
 * @throws JobFailure `source_failed` when the name has no address; `source_refused` when any of its addresses is not public
 */
export async function guardedAddress(
  host: string,
  allowPrivate: boolean,
  resolve: Resolve = systemResolve,
  use: 'git' | 'import' = 'git',
): Promise<string> {
  const addresses = ipaddr.isValid(host) && !/^\d+$/.test(host) ? [host] : await resolved(host, resolve);
  const [first] = addresses;
  if (first === undefined) throw unresolved(host);
  if (!allowPrivate && !addresses.every(isPublic)) {
    throw new JobFailure(
      'source_refused',
      `${host} leads to a private address, which this host's operator has not allowed (LONGSHORE_ALLOW_PRIVATE=${use}).`,
    );
  }
  return first;
}

/** True only for addresses of the public internet; IPv4-mapped addresses are judged as IPv4. */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  return ipaddr.process(address).range() === 'unicast';
}

async function resolved(host: string, resolve: Resolve): Promise<string[]> {
  const tooLate = new Promise<never>((_, reject) => {
    const deadline = AbortSignal.timeout(resolveTimeoutMs);
    deadline.addEventListener('abort', () => reject(deadline.reason), { once: true });
  });
  try {
    return await Promise.race([resolve(host), tooLate]);
  } catch (error) {
    throw unresolved(host, error);
  }
}

function unresolved(host: string, cause?: unknown): JobFailure {
  return new JobFailure('source_failed', `The host ${host} was not found.`, { cause });
}
