/** A page is opened and left again and again: each client that leaves a stream gives its place back, also while there is no news to write. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BenchControlPlane, startBenchControlPlane } from '../bench/support/control-plane.ts';

/** A key may follow the changes so often at once. */
const placesMax = 20;
let controlPlane: BenchControlPlane;

beforeAll(async () => {
  controlPlane = await startBenchControlPlane();
}, 120_000);

afterAll(() => controlPlane.stop());

test('clients that have left the stream of changes take no places of their key ten seconds later', {
  tags: 'slow',
}, async () => {
  for (let visit = 0; visit < placesMax; visit++) expect(await visitChanges()).toBe(200);
  await expect.poll(visitChanges, { timeout: 10_000, interval: 500 }).toBe(200);
});

/** Opens the stream, reads its first event and leaves. @returns the status */
async function visitChanges(): Promise<number> {
  const leave = new AbortController();
  const stream = await fetch(`${controlPlane.url}/api/changes/stream`, {
    headers: { authorization: `Bearer ${controlPlane.apiKey}` },
    signal: leave.signal,
  });
  await stream.body?.getReader().read();
  leave.abort();
  return stream.status;
}
