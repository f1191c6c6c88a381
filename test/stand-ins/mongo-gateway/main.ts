/** MongoDB's wire protocol in front of DocumentDB. Ends with SIGTERM; what a client was waiting for then fails. */
import { createServer } from 'node:net';
import { Commands } from './commands.ts';
import { Connection } from './connection.ts';
import { ReplicaSet } from './replica-set.ts';
import { Store } from './store.ts';
import { Users } from './users.ts';

const port = 27017;

const store = new Store();
const set = new ReplicaSet(store, process.env.GATEWAY_REPLICA_SET || undefined);
await set.load();
const commands = new Commands(store, new Users(store), set);
createServer((socket) => new Connection(socket, commands)).listen(port, () =>
  console.log(`Waiting for connections on port ${port}`),
);
