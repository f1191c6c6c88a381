/** The hosts that the services of a key can use. */
import type { ReplyOf } from '../../client/client.ts';
import { findNamed } from '../names/named.ts';
import type { Session } from '../session.ts';

export type Host = ReplyOf<'GET /api/hosts'>['hosts'][number];
type Asker = Pick<Session, 'client'>;

/** The host with this name or id. @throws Failure (usage) with the names, also if several hosts have the name */
export async function findHost({ client }: Asker, wanted: string): Promise<Host> {
  return findNamed('host', (await client.all('GET /api/hosts')).hosts, wanted, ({ name }) => name);
}

/** The hosts, for showing their names. Empty if the list can't be read, because the main output should still be shown. */
export async function knownHosts({ client }: Asker): Promise<readonly Host[]> {
  const reply: { hosts?: readonly Host[] } = await client.all('GET /api/hosts').catch(() => ({}));
  return reply.hosts ?? [];
}

/** The host's name, or its id if the key's services can't use the host any more. */
export const hostName = (hosts: readonly Host[], runnerId: string): string =>
  hosts.find(({ id }) => id === runnerId)?.name ?? runnerId;
