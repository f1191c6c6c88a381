import { expect, test } from 'vitest';
import { table } from '../../../cli/base/table.ts';

const head = ['SERVICE', 'STATUS', 'URL'];
const rows = [
  ['shop/web', 'active', 'https://web.example.com'],
  ['shop/worker', 'stopped', ''],
];

test('a table that fits stays a table, and one without a window has any width', () => {
  const whole = table(head, rows, 'none', 48);
  expect(whole.split('\n')[1]).toBe('shop/web     active   https://web.example.com');
  expect(table(head, rows, 'none', Number.POSITIVE_INFINITY)).toBe(whole);
});

test('sentences in the last column are wrapped there, and a URL stays whole', () => {
  const alerts = [
    ['web', 'memory', 'It has used 93 % of its memory for 5 minutes, see https://docs.example/guide/alerts'],
  ];
  expect(table(['NAME', 'RULE', ''], alerts, 'none', 40).split('\n')).toEqual([
    'NAME  RULE',
    'web   memory  It has used 93 % of its',
    '              memory for 5 minutes, see',
    '              https://docs.example/guide/alerts',
  ]);
});

test('in a window that is too narrow each row is a paragraph, without empty cells', () => {
  expect(table(head, rows, 'none', 40).split('\n')).toEqual([
    'shop/web',
    '  STATUS  active',
    '  URL     https://web.example.com',
    'shop/worker',
    '  STATUS  stopped',
  ]);
});
