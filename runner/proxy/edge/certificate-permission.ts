/**
 * The names for which Caddy may load, renew or order a certificate. An order is only allowed while the runner waits for it: handshakes of
 * visitors and scanners cause no orders and do not use up the CA's rate limits. Used by `edge`.
 */
import { isLocalName } from '../route-names.ts';

export interface CertificatePermission {
  /** Allows one order of this name within the next seconds. */
  permit(name: string, now: number): void;
  /** Caddy's own CA issues its certificate. */
  isFree(name: string): boolean;
  /** Uses up the name's permit if it needs one. @param now milliseconds of the same clock as for `permit` */
  allows(name: string, now: number): boolean;
}

/** Caddy asks within milliseconds after the runner's permit. */
const permitMs = 10_000;

/** @param isStored true if Caddy has a certificate for the name; `undefined` if Caddy's own CA issues all, at no cost */
export function certificatePermission(
  isStored: ((name: string) => boolean) | undefined,
): CertificatePermission {
  const permits = new Map<string, number>();
  const isFree = (name: string) => isStored === undefined || isLocalName(name);
  return {
    isFree,
    permit: (name, now) => void permits.set(name, now + permitMs),
    allows(name, now) {
      if (isFree(name) || isStored?.(name)) return true;
      const until = permits.get(name) ?? now;
      permits.delete(name);
      return until > now;
    },
  };
}
