import { expect, test } from 'vitest';
import { EscapeKeys } from '../../../cli/shell/escape-keys.ts';

/** @returns what is sent for these pieces of typing; null: the shell was left */
function sent(...pieces: string[]): string | null {
  const keys = new EscapeKeys();
  const out = pieces.map((piece) => keys.take(Buffer.from(piece)));
  return out.includes(undefined) ? null : Buffer.concat(out as Buffer[]).toString();
}

test.each([['~.'], ['~', '.'], ['ls\r', '~', '.'], ['ls\r~.'], ['\r', '\x1b[40;8R', '~', '\x1b[A', '.']])(
  '%j leaves the shell',
  (...pieces) => {
    expect(sent(...pieces)).toBeNull();
  },
);

test.each([['ls ~.'], ['cat ~/', '.bashrc\r'], ['~', 'x'], ['\r', '~', '~.'], ['a~', '.']])(
  '%j is sent as it is',
  (...pieces) => {
    expect(sent(...pieces)).toBe(pieces.join(''));
  },
);
