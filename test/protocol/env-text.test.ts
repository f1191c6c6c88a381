// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of variables are written like that
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readEnvText, writeEnvText } from '../../protocol/env-text.ts';

test('the text of a .env file is read as dotenv reads it; references stay', () => {
  const text = [
    '\uFEFF# comment',
    '',
    'PLAIN=a b  # why',
    'export EMPTY=',
    'HASH=a#b',
    "SINGLE='a # \\n ${x.Y}'",
    'DOUBLE="one\\ntwo \\"three\\"" # end',
    'REFERENCE=${db.DATABASE_URL}\r',
    'KEY="-----BEGIN',
    'abc',
    '-----END"',
    'EQUALS=a=b==',
  ].join('\n');
  expect(readEnvText(text)).toEqual({
    problem: null,
    entries: [
      { key: 'PLAIN', value: 'a b' },
      { key: 'EMPTY', value: '' },
      { key: 'HASH', value: 'a#b' },
      { key: 'SINGLE', value: 'a # \\n ${x.Y}' },
      { key: 'DOUBLE', value: 'one\ntwo "three"' },
      { key: 'REFERENCE', value: '${db.DATABASE_URL}' },
      { key: 'KEY', value: '-----BEGIN\nabc\n-----END' },
      { key: 'EQUALS', value: 'a=b==' },
    ],
  });
});

test.each([
  ['A=1\nfoo', 'line 2 is not KEY=VALUE'],
  [
    'A=1\nlog.level=x',
    'line 2 has the key "log.level", which must match ^[A-Z_][A-Z0-9_]*$: write LOG_LEVEL',
  ],
  ['A=1\nA=2', 'line 2 repeats A'],
  ['A="x\n\n', 'line 1 opens a quote (") that is never closed'],
  ['A="x" y', 'line 1 has text after the closing quote'],
])('%j is refused with its line', (text, sentence) => {
  expect(readEnvText(text).problem).toContain(sentence);
});

test.each([
  ['a quote that is never closed', `A="${'\n'.repeat(65_000)}`],
  ['many signs of a comment', `A=${' #'.repeat(32_000)}\u2028`],
  ['many keys', Array.from({ length: 11_000 }, (_, at) => `A${at}=`).join('\n')],
])('a text of 64 KB with %s is read in little time', (_, text) => {
  const from = performance.now();
  try {
    readEnvText(text);
  } catch (error) {
    expect(error).toMatchObject({ code: 'invalid_request' });
  }
  // It took 25 s; a busy machine takes longer than a quiet one.
  expect(performance.now() - from).toBeLessThan(5_000);
});

test('a backslash at the end of a line escapes the line end, not the next quote', () => {
  expect(readEnvText('A="one\\\ntwo"\nB=\'x\n"y\'').entries).toEqual([
    { key: 'A', value: 'one\\\ntwo' },
    { key: 'B', value: 'x\n"y' },
  ]);
});

test('what is before a problem is read, so that a preview can show it', () => {
  expect(readEnvText('A=1\nnothing\nB=2')).toEqual({
    entries: [{ key: 'A', value: '1' }],
    problem: 'line 2 is not KEY=VALUE, a comment or empty',
  });
});

test('every value that is written is read back as it was', () => {
  const key = fc.stringMatching(/^[A-Z_][A-Z0-9_]{0,8}$/);
  const value = fc.oneof(fc.string(), fc.stringMatching(/^[ "'`#=\\\n\r\t$a]{0,8}$/));
  fc.assert(
    fc.property(fc.dictionary(key, value, { maxKeys: 4, noNullPrototype: true }), (values) => {
      const { entries, problem } = readEnvText(writeEnvText(Object.entries(values)));
      expect(problem).toBeNull();
      expect(Object.fromEntries(entries.map((entry) => [entry.key, entry.value]))).toEqual(values);
    }),
    { numRuns: 500 },
  );
});
