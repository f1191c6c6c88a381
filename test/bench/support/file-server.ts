/** What a download can be at best here: a file through `pipeline` into an HTTP answer, by a process of its own. Its message is the port. */
import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';

const [, , path = ''] = process.argv;
const server = createServer((_, response) => {
  pipeline(createReadStream(path), response).catch(() => {});
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
