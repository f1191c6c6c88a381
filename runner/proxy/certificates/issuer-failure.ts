/** Reads from Caddy's log the reason why a CA issued no certificate. Pure. */
import { z } from 'zod';

/**
 * `refused`: the CA checked and refused, because of a name that does not point here or a CAA record. `limited`: its rate limit.
 * `unreachable`: no answer, or an internal error of the CA. `unknown`: Caddy gave no reason.
 */
export const failureKinds = ['refused', 'limited', 'unreachable', 'unknown'] as const;

export interface IssuerFailure {
  readonly kind: (typeof failureKinds)[number];
  /** Shown to the owner of the name. */
  readonly sentence: string;
  /** The CA accepts no order before this time is over. */
  readonly retryAfterMs?: number;
}

const problem = z.object({ type: z.string(), detail: z.string() }).partial();

/** The relevant lines of Caddy's JSON log; 2.6 writes a challenge's problem into the line itself, later versions nest it. */
const recordSchema = z.object({
  msg: z.string(),
  identifier: z.string(),
  error: z.string().optional(),
  challenge_type: z.string().optional(),
  problem_type: z.string().optional(),
  problem: problem.optional(),
});

type LogRecord = z.infer<typeof recordSchema>;

/** A CA's detail may quote a whole page. */
const detailLengthMax = 300;

/** Reads log lines in order: the reason of a failed challenge is logged before the end of the order. */
export class FailureReader {
  readonly #challenges = new Map<string, Map<string, string>>();

  /** @returns the name and its failure, if this line ends an order */
  take(line: string): { hostname: string; failure: IssuerFailure } | undefined {
    const record = parse(line);
    if (record?.msg === 'challenge failed') this.#addChallenge(record);
    if (record?.msg !== 'could not get certificate from issuer') return undefined;
    const challenges = this.#challenges.get(record.identifier);
    this.#challenges.delete(record.identifier);
    return { hostname: record.identifier, failure: failureOf(record, challenges) };
  }

  #addChallenge({ identifier, challenge_type = 'challenge', problem, error = '' }: LogRecord): void {
    const details = this.#challenges.get(identifier) ?? new Map<string, string>();
    details.set(challenge_type.toUpperCase(), shortened(problem?.detail ?? error));
    this.#challenges.set(identifier, details);
  }
}

function failureOf(
  { identifier, error = '' }: LogRecord,
  challenges: ReadonlyMap<string, string> | undefined,
): IssuerFailure {
  // RFC 8555, section 6.7: a CA's error type is a URN of this form.
  const [, type, said = ''] = /urn:ietf:params:acme:error:(\w+) - (.*)$/s.exec(error) ?? [];
  const detail = shortened(withoutPlace(said));
  if (type === 'rateLimited')
    return { kind: 'limited', sentence: `The CA's rate limit is reached: ${detail}.` };
  if (type === 'serverInternal') {
    return { kind: 'unreachable', sentence: `The CA reported an internal error: ${detail}.` };
  }
  if (challenges) {
    const tried = [...challenges].map(([challenge, why]) => `${challenge}: ${why}`).join('; ');
    return {
      kind: 'refused',
      sentence: `The CA could not verify that ${identifier} points to this host. ${tried}.`,
    };
  }
  if (type) return { kind: 'refused', sentence: `The CA refused: ${detail}.` };
  return { kind: 'unreachable', sentence: `The CA can't be reached: ${shortened(withoutPlace(error))}.` };
}

function parse(line: string): LogRecord | undefined {
  try {
    return recordSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

/** Removes the name before the reason, and the URLs of order and CA after it, which Caddy adds. */
const withoutPlace = (text: string) =>
  text.replace(/^\[[^\]]*\] /, '').replace(/( \((order|ca)=[^)]*\))+$/, '');

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').replace(/[\s.]+$/, '');
  return line.length > detailLengthMax ? `${line.slice(0, detailLengthMax)} …` : line;
}
