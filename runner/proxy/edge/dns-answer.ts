/** Answers one DNS packet from `edge`'s tables. Pure; anything but a plain question gets no answer. */
import dns, { type Answer, type Packet, type Question } from 'dns-packet';
import { edgeZone, stateRecordName, switchingZone } from '../route-names.ts';
import { addressOf, type EdgeAnswers, type RoutedService, servedName } from './edge-answers.ts';

/** Dial name of edge's own 404 answer, for names without a route. */
const fallbackName = `_none.${edgeZone}`;

export interface DnsFacts {
  answers: EdgeAnswers;
  /** Port of the 404 answer on 127.0.0.1. */
  httpPort: number;
  pid: number;
  /** Milliseconds of the clock that the tables were built with. */
  now: number;
  /** Called for each question about a name whose service is asleep. @returns false if no runner can wake it now */
  wake?: (serviceId: string) => boolean;
}

/** @returns the packet to send back; `undefined` for a packet without an answer (malformed, itself an answer, no question) */
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
 * The records for one question. An unknown name gets the address of the 404 answer, never NXDOMAIN: Caddy would hold that request for its
 * whole `try_duration`. An empty NOERROR is right if another question follows (AAAA), or if a new look-up helps (the address of a removed
 * deployment).
 */
function recordsFor({ name, type }: Question, facts: DnsFacts): Answer[] {
  const { answers, httpPort, pid, now } = facts;
  const asked = name.toLowerCase();
  // Go's resolver asks again below the host's search domains after an answer without records.
  if (asked !== stateRecordName && !suffixes.some((one) => asked.endsWith(one))) return [];
  const ttl = 0;
  if (type === 'SRV') {
    const own: RoutedService = { dialNames: [], port: httpPort };
    const found = answers.services.get(servedName(answers, withoutZone(asked))) ?? own;
    // If no runner can wake it, edge's own answer reports that at once, not only after the time for which requests are held.
    const isLost = found.asleep !== undefined && facts.wake?.(found.asleep) === false;
    // Caddy without any record chooses no upstream and asks again. It caches no such answer, so this is only for the few requests in
    // progress when the service fell asleep; all others are held before they ask.
    if (found.asleep !== undefined && !isLost && asked.endsWith(`.${switchingZone}`)) return [];
    const { dialNames, port } = isLost ? own : found;
    const targets = dialNames.map((dialName) => `${dialName}.${edgeZone}`);
    return fitting(targets.length > 0 ? targets : [fallbackName], name, now).map((target) => ({
      ...{ type, name, ttl },
      data: { target, port, priority: 0, weight: 1 },
    }));
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

/** The limit of one message for Go's resolver, inside Caddy (its EDNS0 buffer); it would ask for the rest over TCP, where edge speaks HTTP. */
const answerBytesMax = 1_232;
/** Header and question of a packet; type, class, TTL, length, and the fixed part of SRV of an answer. */
const overhead = { packet: 12 + 4 + 2, answer: 10 + 6 + 4 };

/**
 * The targets that fit into one packet, another part of them each time: a name of 200 characters leaves room for four. With a usual name
 * all replicas fit.
 * @param now milliseconds
 */
function fitting(targets: readonly string[], name: string, now: number): readonly string[] {
  const room = answerBytesMax - overhead.packet - name.length;
  const [first = ''] = targets;
  const count = Math.max(
    1,
    Math.floor(room / (overhead.answer + name.length + first.length + addressSpread)),
  );
  if (targets.length <= count) return targets;
  const from = Math.floor(now) % targets.length;
  return [...targets, ...targets].slice(from, from + count);
}

/** Addresses have 7 to 15 characters. */
const addressSpread = 8;

const suffixes = [`.${edgeZone}`, `.${switchingZone}`];

function withoutZone(name: string): string {
  const suffix = suffixes.find((one) => name.endsWith(one));
  return suffix === undefined ? '' : name.slice(0, -suffix.length);
}
