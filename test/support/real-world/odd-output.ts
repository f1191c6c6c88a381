/** Realistic output of programs: long lines of JSON, colours, progress bars, other encodings; each with the part that people must see. */

export interface OddLine {
  /** The oddity, as the subject of a test's name. */
  is: string;
  bytes: Buffer;
  /** The text that a log must show: the start of the line, without its colours. */
  shown: string;
  level: 'error' | 'warn' | 'info' | null;
  /** The line is longer than the kept part, so it must show that it was cut. */
  cut: boolean;
}

/** Docker and the pipe of a build split a program's output into parts of this size. */
export const partBytes = 16 * 1024;

/** Runs here, and as source text in a container, so it may use nothing else in this file. `text` is latin1 if it begins with `latin1:`. */
const made = () => {
  const stack = 'at größer (/app/sörver.js:1:1)\\n'.repeat(20_000);
  const json = (chars: number, level: string) =>
    `{"msg":"long","stack":"${stack.slice(0, chars).replace(/\\$/, '')}","level":"${level}"}`;
  const bar = (chars: number) =>
    Array.from({ length: Math.ceil(chars / 80) }, (_, n) => `\r${'#'.repeat(60)} ${n} files`).join('');
  const short = '{"level":"error","msg":"short"}';
  return [
    ['a JSON line of 20 KB with its level last', json(20_000, 'error'), '{"msg":"long"', 'error', true],
    ['a JSON line of 300 KB with its level last', json(300_000, 'warn'), '{"msg":"long"', 'warn', true],
    ['a JSON line with a Windows line end', `${short}\r`, short, 'error', false],
    ['a JSON line after a byte order mark', `\ufeff${short}`, short, 'error', false],
    ['a JSON line in colours', `\u001b[31m${short}\u001b[39m`, short, 'error', false],
    [
      'a JSON line with a tab and colours in its message',
      '{"level":"error","msg":"a\tb \u001b[31mred\u001b[0m"}',
      '{"level":"error","msg":"a\tb red"}',
      'error',
      false,
    ],
    [
      'a JSON line that was cut by its program',
      '{"level":"warn","msg":"half',
      '{"level":"warn","msg":"half',
      'warn',
      false,
    ],
    [
      'a JSON line in another encoding',
      'latin1:{"level":"warn","msg":"gr\xf6\xdfer"}',
      '{"level":"warn","msg":"gr\ufffd\ufffder"}',
      'warn',
      false,
    ],
    [
      'a line that moves the cursor',
      '\u001b[2K\u001b[1G\u001b[31m[error]\u001b[0m disk',
      '[error] disk',
      'error',
      false,
    ],
    ['a line with a zero byte', 'ERROR: a\u0000b', 'ERROR: ab', 'error', false],
    [
      'a progress bar of 40 KB that ends in an error',
      `${bar(40_000)}\rERROR: disk is full`,
      'ERROR: disk is full',
      'error',
      false,
    ],
    [
      'a progress bar of 2 MB that ends in an error',
      `${bar(2_000_000)}\rERROR: disk is full`,
      'ERROR: disk is full',
      'error',
      false,
    ],
    ['a line of exactly 16 KB', 'x'.repeat(16_384), 'xxxx', null, true],
    ['a line of exactly 32 KB', 'y'.repeat(32_768), 'yyyy', null, true],
    ['an empty line', '', '', null, false],
  ] as const;
};

const bytesOf = (text: string) =>
  text.startsWith('latin1:') ? Buffer.from(text.slice(7), 'latin1') : Buffer.from(text);

export const oddLines: readonly OddLine[] = made().map(([is, text, shown, level, cut]) => ({
  ...{ is, bytes: bytesOf(text), shown, level, cut },
}));

/**
 * A program that prints all of them, each followed by a line with its number. In between it writes to its other stream.
 * @param pauseMs between the writes of a line
 */
export const oddProgram = `
  const bytesOf = ${bytesOf};
  const lines = (${made})();
  const print = (n) => {
    if (n === lines.length) return;
    process.stdout.write(Buffer.concat([bytesOf(lines[n][1]), Buffer.from('\\nafter ' + n + '\\n')]), () => print(n + 1));
    process.stderr.write('beside ' + n + '\\n');
  };
  print(0);
`;

/** Without colours, as people read it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
export const withoutColours = (text: string) => text.replace(/\u001b\[[0-9;:]*m/g, '');
