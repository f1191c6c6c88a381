import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { drained, parseTcpTable, type TcpEntry, tcpTable } from '../../../runner/proxy/tcp-table.ts';

const header =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode';
const rest = '00000000:00000000 00:00000000 00000000     0        0 4711 1 0000 100 0 0 10 0';
const line = (local: string, remote: string, state: string) => `   0: ${local} ${remote} ${state} ${rest}`;

test('the kernel’s tables are read: IPv4, IPv4 in IPv6, listening and established', () => {
  const text = [
    header,
    line('0100007F:1F90', '00000000:0000', '0A'),
    line('0100D20A:9C40', '0500D20A:0BB8', '01'),
    line('0000000000000000FFFF00000100D20A:9C41', '0000000000000000FFFF00000600D20A:0BB8', '06'),
    '',
  ].join('\n');
  expect(parseTcpTable(text)).toMatchObject([
    { localAddress: '127.0.0.1', localPort: 8080, state: 'listen', inode: '4711' },
    { localAddress: '10.210.0.1', remoteAddress: '10.210.0.5', state: 'established' },
    { remoteAddress: '10.210.0.6', state: 'other' },
  ]);
});

test('a connection that one side has ended is closing until the other side has ended and all data has arrived', () => {
  const states = ['04', '05', '06', '07', '08', '09', '0B'];
  const text = [header, ...states.map((state) => line('0100D20A:9C40', '0500D20A:0BB8', state))].join('\n');
  expect(parseTcpTable(text).map(({ state }) => state)).toEqual([
    ...['closing', 'other', 'other', 'other', 'closing', 'closing', 'closing'],
  ]);
});

test('the kernel’s tables show a real connection of this machine', async () => {
  const server = createServer().listen(0, '127.9.7.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  expect(await tcpTable()).toContainEqual(
    expect.objectContaining({ localAddress: '127.9.7.1', localPort: port, state: 'listen' }),
  );
  const client = connect(port, '127.9.7.1');
  await once(client, 'connect');
  expect(await tcpTable()).toContainEqual(
    expect.objectContaining({ remoteAddress: '127.9.7.1', state: 'established' }),
  );
  client.destroy();
  server.close();
});

const open: TcpEntry = {
  localAddress: '10.210.0.1',
  localPort: 40_000,
  remoteAddress: '10.210.0.5',
  state: 'established',
  inode: '1',
};
const never = new AbortController().signal;

test('draining waits until the last connection to this address is gone, whatever others have open', async () => {
  const other = { ...open, remoteAddress: '10.210.0.50' };
  const looks = [[open, other], [open], [other, { ...open, state: 'other' as const }]];
  let seen = 0;
  await drained(open.remoteAddress, { timeoutMs: 60_000, settleMs: 0, signal: never }, async () => {
    seen += 1;
    return looks[seen - 1] ?? [];
  });
  expect(seen).toBe(3);
});

test('draining ends after its time limit', async () => {
  await drained(open.remoteAddress, { timeoutMs: 150, settleMs: 50, signal: never }, async () => [open]);
});

test('draining ends with the reason of its signal', async () => {
  const stop = new AbortController();
  const waiting = drained(
    open.remoteAddress,
    { timeoutMs: 60_000, settleMs: 0, signal: stop.signal },
    async () => {
      stop.abort(new Error('runner stops'));
      return [open];
    },
  );
  await expect(waiting).rejects.toThrow('runner stops');
});
