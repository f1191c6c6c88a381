import { expect, test } from 'vitest';
import { levelOf } from '../../../runner/kept-logs/log-level.ts';

const json = (fields: Record<string, unknown>) => [JSON.stringify(fields), fields] as const;

test.each([
  [...json({ level: 'warn' }), 'warn'],
  [...json({ level: 60 }), 'fatal'],
  [...json({ severity: 'CRITICAL' }), 'fatal'],
  [...json({ 'log.level': 'Debug' }), 'debug'],
  [...json({ msg: 'ERROR' }), null],
  ['time=2026-11-24T10:00:00Z level=error msg=x', undefined, 'error'],
  ['2026-11-24T10:00:00.123Z  WARN worker: slow', undefined, 'warn'],
  ['\u001b[31mERROR\u001b[0m boom', undefined, 'error'],
  ['[info] started', undefined, 'info'],
  ['2026/11/24 10:00:00 [notice] 1#1: start worker', undefined, 'info'],
  ['TypeError: x is not a function', undefined, null],
  ['Error: boom', undefined, 'error'],
  ['warning: deprecated', undefined, 'warn'],
  ['2026-11-24 10:00:00.000 UTC [77] FATAL:  the database system is starting up', undefined, 'fatal'],
  ['I got an error and a warning', undefined, null],
  ['', undefined, null],
  [`time=2026-11-24T10:00:00Z msg="${'x'.repeat(200)} level=info" level=error`, undefined, 'error'],
  [`ts=1 msg=${'x'.repeat(200)} severity="warning"`, undefined, 'warn'],
  [`a sentence of ${'words '.repeat(30)} level=error`, undefined, null],
] as const)('the level of %j is read', (text, fields, level) => {
  expect(levelOf(text, fields)).toBe(level);
});
