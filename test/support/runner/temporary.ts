/** A directory for a test, removed after it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'longshore-test-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
