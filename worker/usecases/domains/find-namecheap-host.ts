/** Chooses the host that calls Namecheap, and sends it sealed requests over its control socket. */

import { namecheapAnswerSchema } from '../../../protocol/namecheap.ts';
import { requestPlace } from '../../../protocol/sealed-box.ts';
import { safeParseUntrusted } from '../../../protocol/untrusted/safe-parse.ts';
import type { DnsCredentials } from '../../domain/domains/dns-providers.ts';
import { ApiError } from '../../domain/errors.ts';
import type { NamecheapHost } from '../../gateways/dns/index.ts';
import { sealBox } from '../../security/sealed-box.ts';
import { findConnectedHost, findRunner, type RunnerRow } from '../../store/hosts/runner-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** The host tries each call twice, for 10 s, and a list can have several pages. */
const answerTimeoutMs = 40_000;

type Credentials = DnsCredentials['namecheap'];

/**
 * The host in the credentials, or else the oldest connected one. The choice is stable, because the host must be on an allow-list. A host
 * of a tenant other than the default one gets the operator's credentials only if they mention it.
 * @throws ApiError `runner_offline` if there is no such host; `conflict` if its public address is unknown
 */
export async function findNamecheapHost(
  deps: Pick<Dependencies, 'db' | 'hubs'>,
  credentials: Credentials,
): Promise<NamecheapHost> {
  const runner = await chooseRunner(deps, credentials.runnerId);
  const clientIp = credentials.clientIp ?? publicIpv4Of(runner);
  const { apiUser, apiKey, userName = apiUser } = credentials;
  return {
    clientIp,
    async ask(call) {
      const question = { credentials: { apiUser, apiKey, userName, clientIp }, call };
      const place = requestPlace(runner.id, 'namecheap');
      const sealed = await sealBox(runner.sealingKey, place, JSON.stringify(question));
      const answer = await deps.hubs.request(runner.id, { op: 'namecheap', sealed }, answerTimeoutMs);
      const parsed = answer.ok ? safeParseUntrusted(namecheapAnswerSchema, answer.value) : undefined;
      if (parsed?.success) return parsed.data;
      throw new ApiError(
        'unavailable',
        `The host ${runner.name} could not ask Namecheap: ${answer.ok ? 'its answer was not understood.' : answer.message}`,
      );
    },
  };
}

async function chooseRunner(
  { db }: Pick<Dependencies, 'db'>,
  runnerId: string | undefined,
): Promise<RunnerRow> {
  if (runnerId === undefined) {
    const connected = await findConnectedHost(db);
    if (connected) return connected;
    throw new ApiError(
      'runner_offline',
      'Namecheap has to be called from a host, but no host of the operator is connected: connect one, or name another in "runnerId" of the credentials, then try again.',
    );
  }
  const named = await findRunner(db, runnerId);
  if (named && named.revokedAt === null) return named;
  throw new ApiError(
    'conflict',
    `The credentials of Namecheap name the host ${runnerId}, which does not exist: change their "runnerId".`,
  );
}

/** Namecheap only supports IPv4. */
function publicIpv4Of({ name, facts: { publicIp } }: RunnerRow): string {
  if (publicIp !== null && /^[\d.]+$/.test(publicIp)) return publicIp;
  throw new ApiError(
    'conflict',
    `The host ${name} does not know its public IPv4 address: set "clientIp" in the credentials of Namecheap.`,
  );
}
