/** Answers one DNS packet from `edge`'s tables. Pure; anything but a plain question gets no answer. */
import dns, { type Answer, type Packet, type Question } from 'dns-packet';
import { edgeZone, stateRecordName, switchingZone } from '../route-names.ts';
import { addressOf, type EdgeAnswers } from './edge-answers.ts';

/** Dial name of edge's own 404 answer, for names without a route. */
const fallbackName = `_none.${edgeZone}`;

export interface DnsFacts {
  answers: EdgeAnswers;
  /** Port of the 404 answer on 127.0.0.1. */
  httpPort: number;
  pid: number;
  /** Milliseconds of the clock that the tables were built with. */
  now: number;
}

/** @returns the packet to send back; undefined for a packet without an answer (malformed, itself an answer, no question) */
export function answerDns(packet: Buffer, facts: DnsFacts): Buffer | undefined {
  try {
    const query = dns.decode(packet);
    const question = query.questions?.[0];
    if (query.type !== 'query' || !question || query.questions?.length !== 1) return undefined;
    return dns.encode({
      type: 'response',
      ...(query.id === undefined ? {} : { id: query.id }),
      flags: dns.AUTHORITATIVE_ANSWER | dns.RECURSION_AVAILABLE,
      questions: [question],
      answers: recordsFor(question, facts),
    } satisfies Packet);
  } catch {
    // dns-packet throws on malformed bytes; such a packet gets no answer.
    return undefined;
  }
}

/**
 * The records for one question. An unknown name gets the address of the 404 answer, never NXDOMAIN: Caddy would hold that request for
 * its whole `try_duration`. An empty NOERROR is right where another question follows (AAAA), or where a new look-up helps (the address
 * of a deployment that is gone).
 */
function recordsFor({ name, type }: Question, facts: DnsFacts): Answer[] {
  const { answers, httpPort, pid, now } = facts;
  const asked = name.toLowerCase();
  const ttl = 0;
  if (type === 'SRV') {
    const service = answers.services.get(withoutZone(asked));
    const target = service ? `${service.dialName}.${edgeZone}` : fallbackName;
    const data = { target, port: service?.port ?? httpPort, priority: 0, weight: 1 };
    return [{ type, name, ttl, data }];
  }
  if (type === 'A') {
    const address = asked === fallbackName ? '127.0.0.1' : addressOf(answers, withoutZone(asked), now);
    return address ? [{ type, name, ttl, data: address }] : [];
  }
  if (type === 'TXT' && asked === stateRecordName) {
    return [{ type, name, ttl, data: [`version=${answers.version}`, `pid=${pid}`] }];
  }
  return [];
}

const suffixes = [`.${edgeZone}`, `.${switchingZone}`];

function withoutZone(name: string): string {
  const suffix = suffixes.find((one) => name.endsWith(one));
  return suffix === undefined ? '' : name.slice(0, -suffix.length);
}
