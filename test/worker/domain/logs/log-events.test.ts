import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  logEntries,
  logEvents,
  pingEvent,
  snapshotEnd,
  snapshotStart,
  statusEvent,
} from '../../../../worker/domain/logs/log-events.ts';
import type { StoredLine } from '../../../../worker/domain/logs/log-intake.ts';
import { entriesOf, parseEvents } from '../../../support/worker/log-reader.ts';

const deploymentId = 'dep_0123456789abcdef';
const at = Date.parse('2026-11-21T10:00:00.123Z');
const stored = (texts: string[]): StoredLine[] =>
  texts.map((line, index) => ({ id: index + 1, stream: 'stdout', at, line }));

const hostile = [
  'a\r\nb\rc\nd',
  'nul \0 and bell \x07',
  new TextDecoder().decode(new Uint8Array([0x61, 0xff, 0xfe, 0x62])),
  '\n\ndata: {"id":99}\n\n',
  'id: 7',
  'event: status\ndata: {"ok":true,"closed":true}\n\n',
  ':comment',
  '\u2028\u2029\ufeff',
  '"}]',
  '<img src=x onerror=alert(1)>',
  '',
];

test('each line is one log event that holds exactly its entry', () => {
  const events = parseEvents(logEvents(deploymentId, stored(hostile)));
  expect(events.map(({ event, id }) => [event, id])).toEqual(
    hostile.map((_, index) => ['log', String(index + 1)]),
  );
  expect(events.map((event) => JSON.parse(event.data))).toEqual(
    hostile.map((line, index) => ({
      id: index + 1,
      deploymentId,
      line,
      stream: 'stdout',
      createdAt: '2026-11-21T10:00:00.123Z',
    })),
  );
});

test('no text of a line breaks an event', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1 }), (texts) => {
      const lines = stored(texts);
      const snapshot = snapshotStart + logEntries(deploymentId, lines) + snapshotEnd(lines.length);
      const events = parseEvents(snapshot + logEvents(deploymentId, lines));
      expect(events.flatMap(entriesOf).map(({ line }) => line)).toEqual([...texts, ...texts]);
      expect(events.length).toBe(1 + texts.length);
    }),
  );
});

test('every event is an event line, a single data line and a blank line', () => {
  for (const text of [snapshotStart + snapshotEnd(null), statusEvent({ ok: true }), pingEvent(5)]) {
    expect(text).toMatch(/^event: \w+\ndata: [^\n]+\n\n$/);
  }
  expect(parseEvents(statusEvent({ ok: false }))).toMatchObject([
    { event: 'status', data: '{"ok":false,"closed":true}' },
  ]);
  expect(parseEvents(pingEvent(5))).toMatchObject([{ event: 'ping', data: '{"t":5}' }]);
});
