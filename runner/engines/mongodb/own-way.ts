import { isIP } from 'node:net';
import type { MongoClient } from 'mongodb';

const timeoutMs = 5_000;
/** https://github.com/mongodb/mongo/blob/master/src/mongo/transport/transport_options.idl */
export const overrideParameter = 'maxIncomingConnectionsOverride';

/**
 * Lets the server accept connections from this host although its `maxConns` are in use. An app in a container has another address. Older versions
 * know the parameter only in a file of settings, and a server forgets it at a restart, so each new client of ours sets it again. Never rejects.
 */
export async function reserveOwnWay(client: MongoClient): Promise<void> {
  const admin = client.db('admin');
  try {
    const { you } = await admin.command({ whatsmyip: 1, maxTimeMS: timeoutMs });
    const address = String(you)
      .replace(/:\d+$/, '')
      .replace(/^\[|\]$/g, '');
    if (isIP(address) !== 4) return;
    await admin.command({
      setParameter: 1,
      [overrideParameter]: { ranges: [`${address}/32`] },
      maxTimeMS: timeoutMs,
    });
  } catch {}
}
