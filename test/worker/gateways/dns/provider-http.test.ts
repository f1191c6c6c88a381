import { expect, test } from 'vitest';
import { z } from 'zod';
import { ProviderHttp } from '../../../../worker/gateways/dns/provider-http.ts';

const schema = z.object({ fine: z.literal(true) });
const fine = () => Response.json({ fine: true });
const limited = (retryAfter?: string) =>
  new Response('', { status: 429, ...(retryAfter ? { headers: { 'retry-after': retryAfter } } : {}) });

/** Answers in order; the last one again and again. */
function httpWith(...answers: ((request: Request) => Response | Promise<Response>)[]) {
  const requests: Request[] = [];
  const pauses: number[] = [];
  const outside = {
    fetch: async (request: Request) => {
      const answer = answers[Math.min(requests.push(request), answers.length) - 1];
      if (!answer) throw new Error('no answer');
      return answer(request);
    },
    pause: async (ms: number) => {
      pauses.push(ms);
    },
    timeLimitMs: 50,
  };
  const api = {
    name: 'Vendor',
    baseUrl: 'https://vendor.example/v1',
    headers: { authorization: 'Bearer canary' },
    secrets: ['canary'],
    refusalIn: (body: unknown) => (body as { why?: string } | undefined)?.why,
  };
  return { http: new ProviderHttp(outside, api), requests, pauses };
}

/** Until the signal ends it, as the platform's fetch does. */
const never = (request: Request) =>
  new Promise<Response>((_, reject) => {
    request.signal.addEventListener('abort', () => reject(request.signal.reason));
  });

test('a call that the provider asks to wait a little waits and is repeated once, writes too: nothing had happened', async () => {
  const { http, requests, pauses } = httpWith(() => limited('2'), fine);
  await http.send('POST', '/things', { a: 1 });
  expect(requests.map(({ method }) => method)).toEqual(['POST', 'POST']);
  expect(pauses).toEqual([2_000]);
  expect(await requests[1]?.json()).toEqual({ a: 1 });
});

test('a call that the provider asks to wait long, or twice, fails and names the time', async () => {
  const long = httpWith(() => limited('300'));
  await expect(long.http.get('/', schema)).rejects.toMatchObject({
    code: 'unavailable',
    retryAfterSeconds: 300,
    message: 'Vendor refuses more requests for now: try again later.',
  });
  expect(long.requests).toHaveLength(1);
  const twice = httpWith(() => limited());
  await expect(twice.http.get('/', schema)).rejects.toMatchObject({ code: 'unavailable' });
  expect(twice.requests).toHaveLength(2);
});

test.each([
  [
    'HTTP 500',
    () => new Response('oops', { status: 500 }),
    'Vendor answered with HTTP 500: try again later.',
  ],
  [
    'a lost connection',
    () => Promise.reject(new TypeError('connect canary')),
    'Vendor could not be reached: try again later.',
  ],
  ['silence', never, 'Vendor did not answer within 0.05 s: try again later.'],
])(
  'a call to a provider that meets %s is made once more when it reads, never when it writes',
  async (_, broken, message) => {
    const read = httpWith(broken, fine);
    await expect(read.http.get('/', schema)).resolves.toEqual({ fine: true });
    const reads = httpWith(broken);
    await expect(reads.http.get('/', schema)).rejects.toMatchObject({ code: 'unavailable', message });
    expect(reads.requests).toHaveLength(2);
    const write = httpWith(broken, fine);
    await expect(write.http.send('PUT', '/', {})).rejects.toMatchObject({ code: 'unavailable', message });
    expect(write.requests).toHaveLength(1);
  },
);

test.each([
  ['not JSON', () => new Response('<html>busy</html>')],
  ['JSON of another form', () => Response.json([1])],
  ['nothing', () => new Response(null, { status: 204 })],
])('a call to a provider that is answered with %s is no answer', async (_, broken) => {
  await expect(httpWith(broken).http.get('/', schema)).rejects.toMatchObject({
    code: 'unavailable',
    message: 'Vendor gave an answer that was not understood: try again later.',
  });
});

test('a call to a provider never follows a redirect: the credentials are for one host', async () => {
  const { http, requests } = httpWith(
    () => new Response(null, { status: 302, headers: { location: 'https://x' } }),
  );
  await expect(http.get('/', schema)).rejects.toMatchObject({
    message: 'Vendor answered with HTTP 302: try again later.',
  });
  expect(requests[0]?.redirect).toBe('manual');
  expect(requests).toHaveLength(1);
});

test('a call to a provider that is refused gives one line of reason, cut and without credentials', async () => {
  const why = `bad\r\n\u0007 canary ${'x'.repeat(1_000)}`;
  const { http } = httpWith(() => Response.json({ why }, { status: 403 }));
  const error = await http.get('/', schema).catch((thrown: Error) => thrown);
  expect(error).toMatchObject({ code: 'provider_refused' });
  expect((error as Error).message).toMatch(/^Vendor refused \(HTTP 403\): bad \*\*\* x{250,300}\.\.\.$/);
  const silent = httpWith(() => new Response('', { status: 404 }));
  await expect(silent.http.get('/', schema)).rejects.toMatchObject({
    message: 'Vendor refused (HTTP 404): no reason given.',
  });
});
