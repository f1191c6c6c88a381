import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import dns from 'dns-packet';
import { afterAll, expect, test } from 'vitest';
import { answerDns } from '../../../../runner/proxy/edge/dns-answer.ts';
import { edgeAnswers } from '../../../../runner/proxy/edge/edge-answers.ts';
import { seenAt, wakeFiles } from '../../../../runner/proxy/edge/wakes.ts';
import { routeTo } from '../../../support/docker/test-proxy.ts';

const directory = mkdtempSync(join(tmpdir(), 'longshore-wakes-'));
afterAll(() => rmSync(directory, { recursive: true }));

test('a question for a service that sleeps is heard until its file stays without a mark for too long', () => {
  let now = 0;
  const ask = wakeFiles(directory, () => now);
  const file = join(directory, 'svc_shop');
  const asked = (changedAt?: Date) => {
    if (changedAt) utimesSync(file, changedAt, changedAt);
    now += 1_000;
    return ask('svc_shop');
  };
  expect([asked(), readdirSync(directory)]).toEqual([true, ['svc_shop']]);
  expect(asked()).toBe(true);
  const longAgo = new Date(Date.now() - 3_600_000);
  expect(asked(longAgo)).toBe(false);
  now += 10;
  utimesSync(file, new Date(seenAt), new Date(seenAt));
  expect(ask('svc_shop'), 'asked again only after a second').toBe(false);
  expect(asked()).toBe(true);
  expect(statSync(file).mtimeMs, 'the mark stays').toBe(seenAt);
  rmSync(file);
  expect(asked()).toBe(true);
});

test('a service that nobody can wake leads to the answer of edge, another one that sleeps to its own port', () => {
  const target = { type: 'container', address: '10.0.0.1', port: 80, asleep: true } as const;
  const answers = edgeAnswers(
    { version: 1, routes: [routeTo({ address: '', port: 0 }, { target })] },
    undefined,
    0,
  );
  const port = (isHeard: boolean, zone = 'ls.internal') => {
    const packet = dns.encode({
      type: 'query',
      questions: [{ type: 'SRV', name: `shop.localhost.${zone}` }],
    });
    const reply = answerDns(packet, { answers, httpPort: 15_404, pid: 1, now: 0, wake: () => isHeard });
    return dns.decode(reply ?? Buffer.alloc(0)).answers;
  };
  expect(port(true)).toMatchObject([{ data: { port: 80 } }]);
  expect(port(false)).toMatchObject([{ data: { port: 15_404, target: '_none.ls.internal' } }]);
  // Without a record Caddy has nothing to connect to, and keeps the body of the request.
  expect(port(true, 'lss.internal')).toEqual([]);
  expect(port(false, 'lss.internal')).toMatchObject([{ data: { port: 15_404 } }]);
});
