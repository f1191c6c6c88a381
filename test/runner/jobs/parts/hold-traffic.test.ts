import { expect, test } from 'vitest';
import { logVainWait } from '../../../../runner/jobs/parts/hold-traffic.ts';

test('the log names the signal that an app was sent before it was killed, and says nothing about one that ended', () => {
  const lines: string[] = [];
  const log = { line: (_: string, text: string) => void lines.push(text) };
  logVainWait(log, undefined);
  logVainWait(log, { seconds: 7, signal: 'SIGQUIT' });
  expect(lines).toEqual([
    'The app did not end within 7 s of SIGQUIT and was killed. Handle SIGQUIT in the app (close the server, then exit) to make this shorter.',
  ]);
});
