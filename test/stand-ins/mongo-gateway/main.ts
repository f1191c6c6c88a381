/** MongoDB's wire protocol in front of DocumentDB. Ends with SIGTERM; what a client was waiting for then fails. */
import { createServer } from 'node:net';
import { Commands } from './commands.ts';
import { Connection } from './connection.ts';
import { Store } from './store.ts';
import { Users } from './users.ts';

const port = 27017;

const store = new Store();
const commands = new Commands(store, new Users(store));
createServer((socket) => new Connection(socket, commands)).listen(port, () =>
  console.log(`Waiting for connections on port ${port}`),
);
