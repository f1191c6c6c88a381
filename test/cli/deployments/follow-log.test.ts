import { expect, test } from 'vitest';
import { type FollowOptions, followLog } from '../../../cli/deployments/follow.ts';
import type { Session } from '../../../cli/session.ts';
import { createClient } from '../../../client/client.ts';

const route = 'GET /api/deployments/:deploymentId/stream';
const event = (name: string, data: object, id?: number) =>
  `event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;

test('a stream that is refused for now is opened again after the time that the server asks for, behind the last line', {
  tags: 'slow',
}, async () => {
  const lines: string[] = [];
  const told: string[] = [];
  const asked: { at: number; lastEventId: string | null }[] = [];
  const replies = [
    () => new Response(event('log', { line: 'one' }, 7)),
    () =>
      Response.json(
        { error: 'Too many streams open at once.', code: 'rate_limited' },
        { status: 429, headers: { 'retry-after': '2' } },
      ),
    () => new Response(event('log', { line: 'two' }, 8) + event('status', { ok: true, closed: true })),
  ];
  const client = createClient({
    url: 'http://longshore.test',
    token: 'key',
    async fetch(_, init) {
      const headers = new Headers(init?.headers);
      asked.push({ at: performance.now(), lastEventId: headers.get('last-event-id') });
      return replies[asked.length - 1]?.() ?? new Response(null, { status: 500 });
    },
  });
  const output = { progress: (text: string) => told.push(text), style: (_: string, text: string) => text };
  await followLog(
    { client, output } as unknown as Session,
    (more) => client.events(route, { params: { deploymentId: 'dep_a' }, ...more }),
    {
      process: { once: () => undefined, off: () => undefined } as unknown as FollowOptions['process'],
      ...{ comeBack: '', subject: '', write: ({ line }) => lines.push(line) },
    },
  );
  expect(lines).toEqual(['one', 'two']);
  expect(asked.map(({ lastEventId }) => lastEventId)).toEqual(['0', '7', '7']);
  expect(told).toEqual(['Too many streams open at once. Trying again.']);
  // A timer may be a millisecond early.
  expect((asked[2]?.at ?? 0) - (asked[1]?.at ?? 0)).toBeGreaterThan(1_990);
});
