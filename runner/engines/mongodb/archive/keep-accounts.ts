import type { MongoClient } from 'mongodb';
import type { DataPlace } from '../../archive/archive.ts';
import { userOf } from '../client.ts';
import { isAccounts } from './catalog.ts';
import { reading } from './connect.ts';
import { archiveOf } from './dump.ts';
import type { Namespace } from './format.ts';
import { loadArchive } from './load.ts';

/** Copies users and roles from the live database into the one that will replace it. @throws EngineError */
export const keepAccounts = (live: DataPlace, filled: MongoClient): Promise<unknown> =>
  reading(live, (client) => {
    const rootUser = userOf(live.env);
    const request = { rootUser, only: 'admin', isTaken: isAccounts, progress: () => {} };
    return loadArchive(filled, archiveOf(client, request, { tables: 0, rows: 0 }), rootUser);
  });

export const isNoAccount = (namespace: Namespace) => !isAccounts(namespace);
