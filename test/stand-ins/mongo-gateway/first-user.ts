/** Run once by the entrypoint, before anybody can connect: makes the root user that the container's environment names, if any. */
import { Store } from './store.ts';
import { Users } from './users.ts';

const { GATEWAY_USER: name, GATEWAY_PASSWORD: password } = process.env;
const users = new Users(new Store());
await users.prepare();
if (name && password) await users.create(name, password);
process.exit(0);
