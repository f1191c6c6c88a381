import { expect, test } from 'vitest';
import { fieldOf, filtersOf, keptLines } from '../../../cli/deployments/kept-lines.ts';
import type { Session } from '../../../cli/session.ts';
import { createClient, type Service } from '../../../client/client.ts';

const services = [
  { id: 'svc_a', projectId: 'prj_a' },
  { id: 'svc_b', projectId: 'prj_a' },
] as Service[];

/** A server that answers these in turn. */
function serverOf(...replies: { status?: number; body: object }[]) {
  const asked: URL[] = [];
  const client = createClient({
    url: 'http://longshore.test',
    token: 'key',
    fetch: async (input) => {
      asked.push(new URL(input as URL));
      const { status = 200, body } = replies[asked.length - 1] ?? { status: 500, body: {} };
      return Response.json(body, { status });
    },
  });
  const told: string[] = [];
  const output = { progress: (line: string) => told.push(line) };
  return { asked, told, session: { client, output } as unknown as Session };
}

const page = (from: number, count: number, nextCursor?: string) => ({
  body: {
    logs: Array.from({ length: count }, (_, n) => ({ line: `line ${from - n}` })),
    searched: { hosts: [{ hostName: 'h1' }, { hostName: 'h2', reason: 'It is not connected.' }] },
    ...(nextCursor ? { nextCursor } : {}),
  },
});

test('filters are those of the API; a field needs a value, which may contain an equals sign', () => {
  const field = [fieldOf('status=500'), fieldOf('query=a=b')];
  expect(filtersOf({ search: 'x', regex: 'y+', level: 'warn', field })).toEqual({
    ...{ query: 'x', regex: 'y+', level: 'warn' },
    ...{ 'field.status': '500', 'field.query': 'a=b' },
  });
  for (const wrong of ['status', '=500', '']) expect(() => fieldOf(wrong)).toThrow('status=500');
});

test('a search of several services goes on, also after a page without lines, until it has the lines; the oldest comes first', async () => {
  const { asked, told, session } = serverOf(page(9, 3, 'one'), page(6, 0, 'two'), page(6, 2, 'three'));
  const lines = await keptLines(session, services, { lines: 5, since: new Date(0) });
  expect(lines.map(({ line }) => line)).toEqual([5, 6, 7, 8, 9].map((n) => `line ${n}`));
  expect(told).toEqual(['The lines from the host h2 are missing. It is not connected.']);
  expect(asked.map(({ pathname }) => pathname)).toEqual(
    new Array(3).fill('/api/projects/prj_a/runtime-logs'),
  );
  expect(Object.fromEntries(asked[2]?.searchParams ?? [])).toEqual({
    services: 'svc_a,svc_b',
    ...{ limit: '2', since: '1970-01-01T00:00:00.000Z', cursor: 'two' },
  });
});
