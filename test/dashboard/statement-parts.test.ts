/** The parts of a statement, for its colours. */
import { expect, test } from 'vitest';
import { statementParts } from '../../dashboard/pages/service/database/editor/statement-parts.ts';

const kinds = (engine: string, text: string) =>
  statementParts(engine, text)
    .filter(({ kind, text: part }) => kind !== 'plain' && part.trim() !== '')
    .map(({ kind, text: part }) => `${kind} ${part}`);

test('words, texts, numbers and comments of a statement are told apart', () => {
  expect(
    kinds(
      'postgres',
      "SELECT name, 12.5 FROM t1 -- from here\nwhere a = 'it''s' /* or */ and b = $x$ select $x$",
    ),
  ).toEqual([
    'word SELECT',
    'number 12.5',
    'word FROM',
    'comment -- from here',
    'word where',
    "string 'it''s'",
    'comment /* or */',
    'word and',
    'string $x$ select $x$',
  ]);
  expect(kinds('redis', 'hgetall user:1')).toEqual(['word hgetall', 'number 1']);
});

test('the parts together are the statement, also if a text or a comment is not closed', () => {
  for (const text of [
    "select 'open",
    '/* open',
    '$$ open',
    '',
    'a\n\n b',
    '"',
    `${"'".repeat(3)}`,
    'x'.repeat(30_000),
  ])
    expect(
      statementParts('postgres', text)
        .map((part) => part.text)
        .join(''),
    ).toBe(text);
});
