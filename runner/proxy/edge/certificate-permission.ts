/**
 * For which names Caddy may load, renew or order a certificate. An order is made only while the runner waits for one: whatever
 * handshakes visitors and scanners send, they cost the CA nothing and leave its rate limits alone. Used by `edge`.
 */
import { isLocalName } from '../route-names.ts';

export interface CertificatePermission {
  /** One order of this name is allowed within the next moments. */
  permit(name: string, now: number): void;
  /** Uses the name's permit up where it needs one. @param now milliseconds of the clock that `permit` was told */
  allows(name: string, now: number): boolean;
}

/** From the runner's word to Caddy's question it takes milliseconds. */
const permitMs = 10_000;

/** @param isStored whether Caddy has a certificate for the name; undefined where all come from its own CA and cost nothing */
export function certificatePermission(
  isStored: ((name: string) => boolean) | undefined,
): CertificatePermission {
  const permits = new Map<string, number>();
  return {
    permit: (name, now) => void permits.set(name, now + permitMs),
    allows(name, now) {
      if (isStored === undefined || isLocalName(name) || isStored(name)) return true;
      const until = permits.get(name) ?? now;
      permits.delete(name);
      return until > now;
    },
  };
}
