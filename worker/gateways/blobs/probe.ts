/** Short, because a client waits for the result. */
const probeTimeoutMs = 5_000;

/** The operations of a probe on its test object. */
export interface ProbedObject {
  write(key: string, text: string): Promise<unknown>;
  /** Undefined if the object does not exist. */
  read(key: string): Promise<string | undefined>;
  remove(key: string): Promise<unknown>;
}

/** A step had a wrong result. Other errors come from the bucket. */
export class ProbeFailure extends Error {
  override readonly name = 'ProbeFailure';
}

/**
 * Writes, reads and deletes a test object.
 * @throws what the bucket throws; ProbeFailure for wrong bytes, and after five seconds
 */
export async function probeBucket({ write, read, remove }: ProbedObject): Promise<void> {
  const key = `probe/${crypto.randomUUID()}`;
  const tried = async () => {
    await write(key, key);
    const found = await read(key);
    await remove(key);
    if (found !== key) throw new ProbeFailure('the test object could not be read back');
  };
  const late = async () => {
    await scheduler.wait(probeTimeoutMs);
    throw new ProbeFailure(`it did not answer within ${probeTimeoutMs / 1000} s`);
  };
  await Promise.race([tried(), late()]);
}
