/** What the DNS of a custom domain means for it. Pure: answers in, states and sentences out. */
import { isIPv6 } from 'node:net';
import type { DomainState } from '../../../protocol/domain-state.ts';
import { type OwnAddresses, sameSpelling } from '../../base/own-addresses.ts';
import type { DnsAnswer } from './look-up.ts';

export type Verdict = Pick<DomainState, 'dns' | 'detail'>;

/** Addresses that a sentence names. */
const namedMax = 4;

/** An active name loses its place only after this many definite answers in a row that lead elsewhere. */
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
  // Visitors and the CA take any of them: one that is wrong is an error for some, and mostly no certificate for all.
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

/** What is believed of a domain. */
export interface Belief {
  /** What was told of it last; undefined before the first definite word. */
  told: Verdict | undefined;
  /** Definite answers in a row that speak against a name that is active. */
  misses: number;
}

/** A failure of the name servers changes nothing; an active name is given up only after several answers that agree. */
export function believe(before: Belief, seen: Verdict, isActive: boolean): Belief {
  switch (seen.dns) {
    case 'here':
      return { told: seen, misses: 0 };
    case 'unknown':
      return { told: before.told ?? seen, misses: before.misses };
    case 'elsewhere': {
      const misses = isActive ? before.misses + 1 : 0;
      return isActive && misses < missesMax ? { told: before.told, misses } : { told: seen, misses };
    }
  }
}

function listed(addresses: readonly string[]): string {
  const named = addresses.slice(0, namedMax).join(', ');
  return addresses.length > namedMax ? `${named} and ${addresses.length - namedMax} more` : named;
}
