import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ApiClient } from '../../local/api-client.ts';
import { waitUntilConnected } from '../../local/local-runner.ts';
import { temporaryDirectory } from '../support/runner/temporary-directory.ts';

test('a runner that does not connect is reported with the end of its log and the way out', async () => {
  const log = join(temporaryDirectory(), 'runner.log');
  const operator = { call: async () => ({ runners: [{ id: 'run_a', connected: false }] }) };
  const waiting = () => waitUntilConnected(operator as unknown as ApiClient, 'run_a', log, 10);
  await expect(waiting()).rejects.toThrow(/Repeat the command: what is done stays done. Its log is empty/);
  writeFileSync(log, 'info starts\ninfo waits for Docker\n');
  await expect(waiting()).rejects.toThrow(/Its log ends with: info waits for Docker/);
});
