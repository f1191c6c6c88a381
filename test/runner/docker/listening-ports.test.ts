import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { listeningPorts, parseListeningPorts } from '../../../runner/docker/listening-ports.ts';

test('listening sockets are reported with where they can be reached', () => {
  const tables = [
    '  sl  local_address rem_address   st tx_queue',
    '   0: 00000000:1F90 00000000:0000 0A 00000000:00000000', // 0.0.0.0:8080
    '   1: 0100007F:0BB8 00000000:0000 0A 00000000:00000000', // 127.0.0.1:3000
    '   2: 0B00007F:A3C1 00000000:0000 0A 00000000:00000000', // Docker's name server
    '   3: 0200D20A:1F90 0100D20A:C350 01 00000000:00000000', // a connection
    '   0: 00000000000000000000000000000000:01BB 00000000000000000000000000000000:0000 0A 0',
    '   1: 00000000000000000000000001000000:2328 00000000000000000000000000000000:0000 0A 0', // [::1]:9000
    '   2: 0000000000000000FFFF00000100007F:2329 00000000000000000000000000000000:0000 0A 0',
  ].join('\n');
  expect(parseListeningPorts(tables)).toEqual({ open: [443, 8080], loopbackOnly: [3000, 9000, 9001] });
});

test('the sockets of a real process are seen', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  expect((await listeningPorts(process.pid))?.loopbackOnly).toContain(port);
  server.close();
});
