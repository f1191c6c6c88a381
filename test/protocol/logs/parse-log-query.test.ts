import { expect, test } from 'vitest';
import { InvalidLogQuery, parseLogQuery } from '../../../protocol/logs/query/parse-log-query.ts';

const text = (of: string, not = false) => ({ kind: 'text', not, text: of });

test.each([
  ['  ', undefined],
  ['card refused', [[text('card'), text('refused')]]],
  ['"card refused" -health', [[text('card refused'), text('health', true)]]],
  ['-"GET /health"', [[text('GET /health', true)]]],
  ['"say \\"no\\" \\\\ C:\\dir"', [[text('say "no" \\ C:\\dir')]]],
  ['a OR b c', [[text('a')], [text('b'), text('c')]]],
  ['"OR" or', [[text('OR'), text('or')]]],
  ['- -- a-b', [[text('-'), text('-', true), text('a-b')]]],
  ['level:error,WARN', [[{ kind: 'level', not: false, levels: ['error', 'warn'] }]]],
  ['-level:>=warning', [[{ kind: 'level', not: true, levels: ['warn', 'error', 'fatal'] }]]],
  ['level:none', [[{ kind: 'level', not: false, levels: ['none'] }]]],
  ['stream:stderr', [[{ kind: 'stream', not: false, streams: ['stderr'] }]]],
  ['service:web,mail', [[{ kind: 'service', not: false, services: ['web', 'mail'] }]]],
  ['replica:2', [[{ kind: 'replica', not: false, replicas: [2] }]]],
  [
    'user.id:7',
    [[{ kind: 'field', not: false, path: 'user.id', test: 'is', value: '7', typed: 'user.id:7' }]],
  ],
  ['status:>=500', [[{ kind: 'field', not: false, path: 'status', test: '>=', value: '500' }]]],
  ['path:/cart*', [[{ kind: 'field', not: false, path: 'path', test: 'prefix', value: '/cart' }]]],
  ['msg:"two words"', [[{ kind: 'field', not: false, path: 'msg', test: 'is', value: 'two words' }]]],
  [
    'Error: https://a.example/x 10.0.0.1:5432 a"b',
    [[text('Error:'), text('https://a.example/x'), text('10.0.0.1:5432'), text('a"b')]],
  ],
])('the search %j is read', (query, expected) => {
  expect(parseLogQuery(query)).toEqual(expected);
});

test.each([
  ['a "b', 3, 'Add " at its end'],
  ['a ""', 3, 'nothing between the quotes'],
  ['OR a', 1, 'needs a word before and after'],
  ['a OR', 3, 'needs a word before and after'],
  ['a OR OR b', 6, 'needs a word before and after'],
  ['x level:loud', 3, 'Use trace, debug, info, warn, error, fatal or none'],
  ['level:', 1, 'needs a value'],
  ['level:error,', 1, 'needs a value'],
  ['stream:tty', 1, 'Use stdout, stderr, system or access'],
  ['replica:two', 1, 'Write replica:2'],
  ['status:>=many', 1, 'such as status:>=500'],
  [Array(21).fill('a').join(' '), 41, 'at most 20 words'],
  ['x'.repeat(501), 501, 'at most 500 characters'],
])('the search %j is refused at a position, with the way out', (query, position, sentence) => {
  expect(() => parseLogQuery(query)).toThrow(
    expect.objectContaining({ position, message: expect.stringContaining(sentence) }),
  );
  expect(() => parseLogQuery(query)).toThrow(InvalidLogQuery);
});
