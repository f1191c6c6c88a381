import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { loggedShare } from '../../../worker/http/request-log.ts';
import { createClient, insertKey } from '../../support/worker/api.ts';

const lines: string[] = [];
beforeEach(() => {
  lines.length = 0;
  vi.spyOn(console, 'info').mockImplementation((line: string) => void lines.push(line));
});
afterEach(() => {
  vi.restoreAllMocks();
});

test('a logged request is one line with its id, tenant, route pattern and status, and no values', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
  const call = createClient();
  const { token } = await insertKey();
  await call('GET', '/api/projects/secret-name', { token });
  const [line, ...more] = lines.map((one) => JSON.parse(one));
  expect(more).toEqual([]);
  expect(line).toEqual({
    requestId: expect.any(String),
    tenant: 'default',
    route: expect.stringMatching(/^GET \/api\/projects\/:/),
    status: 404,
  });
});

test('a request outside the share has no line', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(loggedShare);
  const { token } = await insertKey();
  await createClient()('GET', '/api/projects', { token });
  expect(lines).toEqual([]);
});
