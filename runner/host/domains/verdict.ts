/** Decides what a DNS answer means for a custom domain. Pure: answers in, states and sentences out. */
import { isIPv6 } from 'node:net';
import type { DomainState } from '../../../protocol/domain-state.ts';
import { type OwnAddresses, sameSpelling } from '../../base/own-addresses.ts';
import type { DnsAnswer } from './look-up.ts';

export type Verdict = Pick<DomainState, 'dns' | 'detail'>;

/** Limit of addresses listed in a sentence. */
const namedMax = 4;

/** An active name becomes inactive only after this many definite answers in a row that point elsewhere. */
export const missesMax = 3;

export const localVerdict: Verdict = { dns: 'here', detail: 'Names below localhost need no DNS.' };

export function verdictOf(hostname: string, answer: DnsAnswer, own: OwnAddresses): Verdict {
  const record = `${isIPv6(own.main) ? 'an AAAA' : 'an A'} record with ${own.main}`;
  if (answer.found === 'failure') {
    const detail = `The DNS of ${hostname} gave no answer (${answer.reason}); the lookup is repeated.`;
    return { dns: 'unknown', detail };
  }
  if (answer.found === 'nothing') {
    return { dns: 'elsewhere', detail: `${hostname} has no address in DNS yet: add ${record}.` };
  }
  const strange = answer.addresses.filter((address) => !own.all.has(sameSpelling(address)));
  if (strange.length === 0) {
    return { dns: 'here', detail: `${hostname} points to this host (${listed(answer.addresses)}).` };
  }
  // Visitors and the CA use any of the addresses: a wrong one is an error for some, and usually prevents a certificate.
  return strange.length < answer.addresses.length
    ? {
        dns: 'elsewhere',
        detail: `${hostname} points to this host, but also to ${listed(strange)}: remove that record.`,
      }
    : {
        dns: 'elsewhere',
        detail: `${hostname} points to ${listed(strange)}, not to this host: set ${record} instead.`,
      };
}

/** The current assumption about a domain. */
export interface Belief {
  /** The last reported verdict; `undefined` before the first definite answer. */
  reported: Verdict | undefined;
  /** Definite answers in a row that contradict an active name. */
  misses: number;
}

/** A DNS failure changes nothing; an active name becomes inactive only after several consistent answers. */
export function believe(before: Belief, seen: Verdict, isActive: boolean): Belief {
  switch (seen.dns) {
    case 'here':
      return { reported: seen, misses: 0 };
    case 'unknown':
      return { reported: before.reported ?? seen, misses: before.misses };
    case 'elsewhere': {
      const misses = isActive ? before.misses + 1 : 0;
      return isActive && misses < missesMax
        ? { reported: before.reported, misses }
        : { reported: seen, misses };
    }
  }
}

function listed(addresses: readonly string[]): string {
  const named = addresses.slice(0, namedMax).join(', ');
  return addresses.length > namedMax ? `${named} and ${addresses.length - namedMax} more` : named;
}
