import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createOutput, printable } from '../../../cli/base/output.ts';
import { table } from '../../../cli/base/table.ts';

const esc = '\u001b';

test('lines of apps cannot steer the terminal; colours stay where they are seen', () => {
  const line = `${esc}[31mred${esc}[0m${esc}]0;title\u0007${esc}[2J a\r\tb\u009b1A`;
  expect(printable(line, false)).toBe('red a\tb');
  expect(printable(line, true)).toBe(`${esc}[31mred${esc}[0m a\tb`);
});

test('columns are aligned by what is seen', () => {
  const green = `${esc}[32mok${esc}[39m`;
  expect(
    table(
      ['A', 'B'],
      [
        [green, '1'],
        ['longer', '2'],
      ],
      'none',
    ),
  ).toBe(`A       B\n${green}      1\nlonger  2`);
  expect(table(['A'], [], 'none')).toBe('none');
});

test('names and sentences of a server cannot steer the terminal, nor can its JSON', () => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const streams = { stdout, stderr, stdin: process.stdin, env: {} } as unknown as Parameters<
    typeof createOutput
  >[0];
  const hostile = `a${esc}]0;title\u0007b${esc}[2J\u009b1Ac\rd`;
  const people = createOutput(streams, false);
  people.answer({}, () => `${hostile}\nnext`);
  people.result(hostile);
  people.element({}, hostile);
  people.progress(hostile);
  const json = createOutput(streams, true);
  json.answer({ name: hostile }, () => '');
  const [out, error] = [String(stdout.read()), String(stderr.read())];
  expect(out + error).not.toMatch(/[^\P{Cc}\n]/u);
  expect(out.split('\n').slice(0, 3)).toEqual(['abcd', 'next', 'abcd']);
  expect(JSON.parse(out.split('\n')[4] ?? '')).toEqual({ name: hostile });
});

test('NO_COLOR and a terminal without colours get none', () => {
  const shown = (env: NodeJS.ProcessEnv) => {
    const stdout = Object.assign(new PassThrough(), { isTTY: true });
    const streams = { stdout, stderr: stdout, stdin: process.stdin, env } as unknown as Parameters<
      typeof createOutput
    >[0];
    const output = createOutput(streams, false);
    output.result(output.style('red', 'failed'));
    return String(stdout.read());
  };
  expect(shown({ TERM: 'xterm' })).toBe(`${esc}[31mfailed${esc}[39m\n`);
  expect([shown({ TERM: 'xterm', NO_COLOR: '1' }), shown({ TERM: 'dumb' })]).toEqual([
    'failed\n',
    'failed\n',
  ]);
});
