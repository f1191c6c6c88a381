import { createServer } from 'node:net';
import { join } from 'node:path';
import dns from 'dns-packet';
import { expect, onTestFinished, test } from 'vitest';
import { askVersion } from '../../../runner/proxy/edge-version.ts';
import { stateRecordName } from '../../../runner/proxy/route-names.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';

const answer = dns.encode({
  type: 'response',
  id: 1,
  answers: [{ type: 'TXT', name: stateRecordName, data: ['pid=1', 'version=7'] }],
});

/** An edge that answers every question with these bytes. */
async function edgeThatSays(bytes: Buffer | undefined): Promise<string> {
  const path = join(temporaryDirectory(), 'dns.sock');
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => (bytes ? socket.end(bytes) : undefined));
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => void server.close());
  return path;
}

test.each([
  ['its answer', answer, 7],
  ['an answer that is cut off', answer.subarray(0, 20), undefined],
  ['bytes that are no answer', Buffer.from('nonsense'), undefined],
  ['nothing within the limit', undefined, undefined],
])('the version that edge has loaded is read from %s', async (_, bytes, version) => {
  expect(await askVersion(await edgeThatSays(bytes), bytes ? 10_000 : 50)).toBe(version);
});
