/** A client waits for the answer. */
const probeTimeoutMs = 5_000;

/** What a probe does with an object of its own. */
export interface ProbedObject {
  write(key: string, text: string): Promise<unknown>;
  /** Undefined when there is none. */
  read(key: string): Promise<string | undefined>;
  remove(key: string): Promise<unknown>;
}

/** That a step did not do what it should; other failures are the bucket's own. */
export class ProbeFailure extends Error {
  override readonly name = 'ProbeFailure';
}

/**
 * Writes, reads and removes an object.
 * @throws what the bucket throws; ProbeFailure for wrong bytes and after five seconds
 */
export async function probeBucket({ write, read, remove }: ProbedObject): Promise<void> {
  const key = `probe/${crypto.randomUUID()}`;
  const tried = async () => {
    await write(key, key);
    const found = await read(key);
    await remove(key);
    if (found !== key) throw new ProbeFailure('what was written could not be read again');
  };
  const late = async () => {
    await scheduler.wait(probeTimeoutMs);
    throw new ProbeFailure(`it did not answer within ${probeTimeoutMs / 1000} s`);
  };
  await Promise.race([tried(), late()]);
}
