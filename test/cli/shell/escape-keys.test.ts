import { expect, test } from 'vitest';
import { EscapeKeys } from '../../../cli/shell/escape-keys.ts';

/** @returns what is sent for these pieces of typing; null: the shell was left */
function sent(...pieces: string[]): string | null {
  const keys = new EscapeKeys();
  const out = pieces.map((piece) => keys.take(Buffer.from(piece)));
  return out.includes(undefined) ? null : Buffer.concat(out as Buffer[]).toString();
}

test.each([
  ['~.'],
  ['~', '.'],
  ['ls\r', '~', '.'],
  ['ls\r~.'],
  ['\r', '\x1b[40;8R', '~', '\x1b[A', '.'],
  ['\r', '\x1b[40;8R~', '.'],
  ['\r\x1b[40;8R', '~', '.'],
  ['\r\x1b[40', ';8R~', '.'],
  ['\r~\x1b[40;8R.'],
  ['\r\x1b]11;rgb:0/0/0\x1b\\~.'],
])('%j leaves the shell', (...pieces) => {
  expect(sent(...pieces)).toBeNull();
});

test.each([
  ['ls ~.'],
  ['cat ~/', '.bashrc\r'],
  ['~', 'x'],
  ['\r', '~', '~.'],
  ['a~', '.'],
  ['\r\x1b', '~.'],
  ['\x1b[A\x1b[B', '\x1b]', '\x1b[20', '0~~.', 'x'],
])('%j is sent as it is', (...pieces) => {
  expect(sent(...pieces)).toBe(pieces.join(''));
});
