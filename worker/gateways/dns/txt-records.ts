/**
 * Looks up TXT records with public resolvers over HTTPS, so that neither a tenant nor the network of a host can change the answer:
 * https://developers.cloudflare.com/1.1.1.1/encryption/dns-over-https/make-api-requests/dns-json/ and
 * https://developers.google.com/speed/public-dns/docs/doh/json. If neither can be reached (a machine without internet), a host of the
 * operator looks up the name with its own name servers.
 */
import { z } from 'zod';
import { type TxtAnswer, txtAnswerSchema } from '../../../protocol/host-request.ts';
import { txtText } from '../../domain/domains/dns-records.ts';

/** @returns the TXT records with exactly this name; a CNAME is not followed, because with a wildcard CNAME the target could verify names */
export type LookUpTxt = (name: string) => Promise<TxtAnswer>;

const resolvers = ['https://cloudflare-dns.com/dns-query', 'https://dns.google/resolve'];
/** Short, because a client may wait for the answer. */
const timeLimitMs = 3_000;

const txtType = 16;
/** RFC 1035, section 4.1.1: "no error" and "name error". All other codes mean that the answer is unknown. */
const [noError, nameError] = [0, 3];
const answerSchema = z.object({
  Status: z.number().int(),
  TC: z.boolean().default(false),
  Answer: z.array(z.object({ name: z.string(), type: z.number().int(), data: z.string() })).default([]),
});

export interface TxtParts {
  fetch(request: Request): Promise<Response>;
  /** Sends the query to a host that the operator controls. @returns undefined if none is connected */
  askHost(name: string): Promise<unknown>;
}

export function createLookUpTxt({ fetch, askHost }: TxtParts): LookUpTxt {
  return async (name) => {
    for (const resolver of resolvers) {
      const answer = await asked(fetch, resolver, name);
      if (answer) return answer;
    }
    const fromHost = txtAnswerSchema.safeParse(await askHost(name).catch(() => undefined));
    return fromHost.data ?? { found: 'failure', reason: 'no resolver could be reached' };
  };
}

/** @returns undefined if the resolver can't be reached or its answer is invalid */
async function asked(
  fetch: TxtParts['fetch'],
  resolver: string,
  name: string,
): Promise<TxtAnswer | undefined> {
  const request = new Request(`${resolver}?name=${encodeURIComponent(name)}&type=TXT`, {
    headers: { accept: 'application/dns-json' },
    redirect: 'manual',
    signal: AbortSignal.timeout(timeLimitMs),
  });
  try {
    const response = await fetch(request);
    if (response.status === 200) return read(name, answerSchema.parse(await response.json()));
    await response.body?.cancel();
  } catch {
    // Continues with the next resolver.
  }
  return undefined;
}

function read(name: string, { Status, TC, Answer }: z.infer<typeof answerSchema>): TxtAnswer {
  if (Status === nameError) return { found: 'records', values: [] };
  if (Status !== noError || TC) return { found: 'failure', reason: `DNS status ${Status}` };
  const own = Answer.filter((one) => one.type === txtType && isSameName(one.name, name));
  return { found: 'records', values: own.map(({ data }) => txtText(data)) };
}

function isSameName(one: string, other: string): boolean {
  return one.toLowerCase().replace(/\.$/, '') === other.toLowerCase();
}
