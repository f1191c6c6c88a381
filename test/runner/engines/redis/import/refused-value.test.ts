/** What a server of another version, or with another module, would say: it is played here, since there is none. */
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { FreshPlace } from '../../../../../runner/engines/archive/archive.ts';
import { ImportRefusal } from '../../../../../runner/engines/archive/import-refusal.ts';
import { EngineError } from '../../../../../runner/engines/engine-error.ts';
import { refusedValue } from '../../../../../runner/engines/redis/import/refused-value.ts';
import { RestoreRefused } from '../../../../../runner/engines/redis/import/restore-replies.ts';

const fresh: FreshPlace = {
  address: { host: '127.0.0.1', port: 1 },
  env: {},
  signal: new AbortController().signal,
  progress: () => {},
  restart: async () => {},
  tools: {
    async run(_command, { stdout }) {
      stdout?.end('# Server\r\nredis_version:7.2.4\r\n');
      return { code: 0, stderr: '' };
    },
  },
};

/** A server that says this of whatever it is asked. */
async function sourceThatSays(reply: string) {
  const server = createServer((socket) => socket.on('data', () => socket.write(reply)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const login = { user: '', password: '', tls: 'off' } as const;
  return { name: 'the source', host: '127.0.0.1', address: '127.0.0.1', port, ...login };
}

async function errorFor(words: string) {
  const source = await sourceThatSays('+ReJSON-RL\r\n');
  const refused = new RestoreRefused(Buffer.from([0x6b, 0xff]), words);
  return await refusedValue(refused, { source, fresh, database: 0, version: '8.4.0' });
}

test('values of a newer version are refused with both versions', async () => {
  const error = await errorFor('ERR DUMP payload version or checksum are wrong');
  expect(error).toBeInstanceOf(ImportRefusal);
  expect(error.message).toMatch(/version 8\.4\.0.*Redis 7\.2\.4.*source's version or a newer one/);
});

test('a value of a missing module is refused with its key and its type', async () => {
  const error = await errorFor('ERR Bad data format');
  expect(error).toBeInstanceOf(ImportRefusal);
  expect(error.message).toMatch(/key \\x6bff is of the type ReJSON-RL/);
});

test('any other refusal of a value is reported with its key', async () => {
  const error = await errorFor('OOM command not allowed');
  expect(error).toBeInstanceOf(EngineError);
  expect(error.message).toMatch(/key \\x6bff could not be written: OOM command not allowed/);
});
