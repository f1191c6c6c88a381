/**
 * Creates and removes the TXT records that hosts need while they order certificates for wildcards (RFC 8555, section 8.4). A host reports the
 * record that it needs with each domain's state; every report is complete, so the next one makes up for a lost one.
 */
import type { DomainState } from '../../../protocol/domain-state.ts';
import { ownsDnsAccounts } from '../../domain/domains/name-verification.ts';
import { ApiError } from '../../domain/errors.ts';
import { isWildcard, withoutWildcard } from '../../domain/names/hostname.ts';
import { type DnsAccount, type DnsZone, openDnsAccount } from '../../gateways/dns/index.ts';
import {
  type ChallengeRecordRow,
  deleteChallengeRecord,
  findStaleChallenge,
  listWildcardsOfHost,
  markChallengeRemovalTried,
  markUnwanted,
  saveChallengeRecord,
} from '../../store/domains/challenge-record-store.ts';
import { selectDnsProvider, selectDnsProviders } from '../../store/domains/dns-provider-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { readDnsConnection } from './connect-dns-provider.ts';

type Needs = Pick<Dependencies, 'db' | 'dns' | 'envelope' | 'now'>;
type Answer = { ok: boolean; detail: string };

const answerTimeoutMs = 10_000;
const recordName = (hostname: string) => `_acme-challenge.${withoutWildcard(hostname)}`;
const wayOut = 'or give the domain a certificate of your own (docs/operate/certificates.md).';

/** Adjusts the records to a host's report about its wildcards, and informs the host which records were created. */
export async function answerChallenges(
  deps: Needs & Pick<Dependencies, 'hubs'>,
  runnerId: string,
  states: readonly DomainState[],
): Promise<void> {
  const wanted = states
    .filter(({ hostname }) => isWildcard(hostname))
    .map(({ hostname, challenge = null }) => ({ hostname, value: challenge }));
  if (wanted.length === 0) return;
  const unwanted = await markUnwanted(deps.db, runnerId, wanted);
  for (const record of unwanted) await remove(deps, record);
  const asked = wanted.flatMap(({ hostname, value }) => (value === null ? [] : [{ hostname, value }]));
  if (asked.length === 0) return;
  const names = asked.map(({ hostname }) => hostname);
  const own = new Map(
    (await listWildcardsOfHost(deps.db, runnerId, names)).map(({ hostname, tenantId }) => [
      hostname,
      tenantId,
    ]),
  );
  for (const challenge of asked) {
    const answer = await make(deps, { ...challenge, runnerId, tenantId: own.get(challenge.hostname) });
    await deps.hubs
      .request(runnerId, { op: 'challenge-answer', ...challenge, ...answer }, answerTimeoutMs)
      // The host's order then times out and is retried.
      .catch((error: unknown) => console.warn(`A host heard nothing of its TXT record: ${error}`));
  }
}

/** Removes one record that no order needs. Cron runs it every five minutes, for records that were not removed at once. */
export async function sweepChallenges(deps: Needs): Promise<void> {
  const record = await findStaleChallenge(deps.db, deps.now());
  if (record) await remove(deps, record);
}

async function make(
  deps: Needs,
  {
    hostname,
    value,
    runnerId,
    tenantId,
  }: { hostname: string; value: string; runnerId: string; tenantId: string | undefined },
): Promise<Answer> {
  if (tenantId === undefined) return { ok: false, detail: `${hostname} is no domain of this host.` };
  if (!ownsDnsAccounts(tenantId)) {
    return {
      ok: false,
      detail: `${hostname} gets no automatic certificate: give the domain one of your own.`,
    };
  }
  try {
    const found = await findZone(deps, hostname);
    if ('detail' in found) return { ok: false, detail: found.detail };
    const { providerId, account, zone } = found;
    const record = { providerId, hostname, value, runnerId, createdAt: deps.now() };
    // Also saved if the record already exists: the host may have needed the same record before, and its removal may be due.
    await saveChallengeRecord(deps.db, record);
    await account.addTxt(zone, { name: recordName(hostname), value }, async () => {});
    return { ok: true, detail: '' };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { ok: false, detail: `The TXT record for ${hostname} could not be made: ${error.message}` };
  }
}

type Found = { providerId: string; account: DnsAccount; zone: DnsZone };

/** The first connected account with a confirmed zone of this name. @throws ApiError if the only account that may have it does not answer */
async function findZone(deps: Needs, hostname: string): Promise<Found | { detail: string }> {
  const base = withoutWildcard(hostname);
  const providers = await selectDnsProviders(deps.db);
  if (providers.length === 0) {
    const detail = `No DNS provider is connected, so ${hostname} gets no automatic certificate: ask the operator to connect that of ${base}, ${wayOut}`;
    return { detail };
  }
  let failure: ApiError | undefined;
  for (const row of providers) {
    try {
      const account = openDnsAccount(deps.dns, await readDnsConnection(deps, row));
      const zone = await account.findZone(base);
      if (zone?.isConfirmed) return { providerId: row.id, account, zone };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      failure = error;
    }
  }
  if (failure) throw failure;
  return {
    detail: `No connected DNS provider has the zone of ${base}: connect the one that has it, ${wayOut}`,
  };
}

/** If the provider refuses, the row remains for the next attempt. */
async function remove(deps: Needs, record: ChallengeRecordRow): Promise<void> {
  const { providerId, hostname, value } = record;
  await markChallengeRemovalTried(deps.db, record, deps.now());
  try {
    const [row] = await selectDnsProvider(deps.db, providerId);
    const account = row && openDnsAccount(deps.dns, await readDnsConnection(deps, row));
    const zone = await account?.findZone(withoutWildcard(hostname));
    if (account && zone) await account.removeTxt(zone, { name: recordName(hostname), value });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    console.warn(
      `The TXT record of an order for ${hostname} could not be removed at ${providerId}: ${error.message}`,
    );
    return;
  }
  await deleteChallengeRecord(deps.db, record);
}
