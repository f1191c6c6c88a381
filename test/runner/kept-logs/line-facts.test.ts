import { expect, test } from 'vitest';
import { levelOf } from '../../../protocol/logs/lines/line-level.ts';
import { secretMask } from '../../../runner/job-log/secret-mask.ts';
import { readFacts } from '../../../runner/kept-logs/line-facts.ts';

const mask = secretMask(['hunter2-secret']);
const stack = 'at handler (/app/server.js:1:1)\\n'.repeat(700);

test.each([
  ['first', JSON.stringify({ level: 'error', stack })],
  ['last', JSON.stringify({ stack, level: 'error' })],
  ['a number', JSON.stringify({ stack, level: 50 })],
  ['in a line that is not read to its end', `{"stack":"${'x'.repeat(30_000)}","level":"error","more":"`],
  ['of logfmt, last', `ts=1 msg="${'x'.repeat(30_000)}" level=error`],
  ['in brackets', `[error] ${'x'.repeat(30_000)}`],
])('the level of a long line is read where it is: %s', (_, text) => {
  expect(levelOf(text, readFacts(text, mask))).toBe('error');
});

test('short fields of a long line are kept as they are nested, and long ones and lists are left out', () => {
  const text = JSON.stringify({ stack, status: 500, user: { id: 7, bio: stack }, tags: ['a'], ok: false });
  expect(readFacts(text, mask)).toEqual({ status: 500, user: { id: 7 }, ok: false });
});

test('a secret in a field of a long line is masked', () => {
  const text = JSON.stringify({ stack, token: 'hunter2-secret' });
  expect(readFacts(text, mask)).toEqual({ token: '***' });
});

test('a line with thousands of fields keeps its level and a bounded number of them', () => {
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`field-${index}`, index]));
  const facts = readFacts(JSON.stringify({ ...many, level: 'warn' }), mask);
  expect(facts?.level).toBe('warn');
  expect(JSON.stringify(facts).length).toBeLessThan(4_096);
});

test('a field with the name of a property that all objects have is a field like others', () => {
  const text = `{"__proto__":{"admin":true},"constructor":"x","stack":${JSON.stringify(stack)}}`;
  expect(JSON.stringify(readFacts(text, mask))).toBe('{"__proto__":{"admin":true},"constructor":"x"}');
});

test('a long line without a level or fields has no facts', () => {
  expect(readFacts('x'.repeat(20_000), mask)).toBeUndefined();
});
