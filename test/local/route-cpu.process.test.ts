import { expect, test } from 'vitest';
import { benchCpu, freePlanCpuMs } from '../bench/cpu.ts';

/** Calls that are two invocations, and the work of cron: see the figures in docs/lab-books/performance.md. */
const allowedMs = (name: string) => (/two calls|cron|stream/.test(name) ? 2 : 1) * freePlanCpuMs;

test('each of the most used routes stays below the processor time that Cloudflare allows a call on the free plan', {
  timeout: 180_000,
  retry: 1, // a busy machine spoils all rounds of a route now and then
  tags: 'slow',
}, async () => {
  const { figures } = await benchCpu(25, { projects: 20, servicesEach: 5 });
  expect(figures.map(({ name }) => name)).toContain('GET /api/attention');
  expect(figures.filter(({ name, seen }) => Number(seen) > allowedMs(name))).toEqual([]);
});
