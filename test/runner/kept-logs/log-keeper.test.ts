import { appendFileSync, readdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { KeptHost, serviceId } from '../../support/runner/kept-host.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';

let directory: string;
let host: KeptHost;

beforeEach(() => {
  directory = temporaryDirectory();
  host = new KeptHost(directory);
  onTestFinished(() => host.keeper.stop());
});

const segment = () => {
  const [name = ''] = readdirSync(join(directory, serviceId)).sort().slice(-1);
  return join(directory, serviceId, name);
};
const starts = (id: string) => `system The container starts, of deployment dep_${id}.`;

test('lines of all deployments are kept in order, with the starts and ends of their containers', async () => {
  host.run('a', { secrets: ['hunter22'] });
  host.print('a', ['one', 'password hunter22']);
  await host.settle();
  host.run('b');
  host.print('b', ['two']);
  await host.settle();
  host.end('a', 143);
  await host.settle();
  host.containers.delete('a');
  host.print('b', ['three']);
  await host.settle();
  expect(await host.kept()).toEqual([
    starts('a'),
    'stdout one',
    'stdout password ***',
    starts('b'),
    'stdout two',
    'system The container ended with exit code 143. It was told to stop (SIGTERM).',
    'stdout three',
  ]);
});

test.each([
  [129, ' It was told to stop (SIGHUP).'],
  [130, ' It was told to stop (SIGINT).'],
  [131, ' It was told to stop (SIGQUIT).'],
  [137, ''],
  [1, ''],
])(
  'the line of an end with exit code %i names the stop signal that ended the program, if one did',
  async (code, told) => {
    host.run('a');
    await host.settle();
    host.end('a', code);
    await host.settle();
    expect((await host.kept()).at(-1)).toBe(`system The container ended with exit code ${code}.${told}`);
  },
);

test('a crash, an end by lack of memory and a restart each have one line, also for a new process', async () => {
  host.run('a');
  host.print('a', ['before']);
  await host.settle();
  const at = host.clock.now() * 1000;
  host.exits.push({ id: 'a', at, exitCode: 137, outOfMemory: true });
  host.keeper.changed();
  Object.assign(host.containers.get('a')?.state ?? {}, { startedAt: at + 1000, endedAt: at - 10 });
  await host.settle();
  host.kill();
  await host.settle();
  host.print('a', ['after']);
  await host.settle();
  expect(await host.kept()).toEqual([
    starts('a'),
    'stdout before',
    'system The container ran out of memory (limit 64 MB) and was killed. Docker restarts it.',
    starts('a'),
    'stdout after',
  ]);
});

test('after a kill at any byte of a write, every line is kept exactly once', async () => {
  const texts = Array.from({ length: 12 }, (_, n) => `line ${n} ünïcode`);
  host.run('a');
  const second = host.clock.now() * 1000;
  // Lines of one microsecond, and of the two streams in another order than their times.
  host.print('a', texts.slice(0, 4), second);
  host.print('a', texts.slice(4, 6), second + 50, 'stderr');
  host.print('a', texts.slice(6, 9), second + 20);
  host.print('a', texts.slice(9), second + 60);
  await host.settle();
  const whole = readFileSync(segment());
  const all = await host.kept();
  expect(all).toHaveLength(texts.length + 1);
  for (let cut = 1; cut < whole.length; cut += 7) {
    truncateSync(segment(), whole.length - cut);
    host.kill();
    await host.settle();
    expect([cut, (await host.kept()).sort()]).toEqual([cut, all.toSorted()]);
    truncateSync(segment(), 0);
    appendFileSync(segment(), whole);
    host.kill();
  }
});

test('what a power cut leaves of a line is removed, and the line is read again', async () => {
  host.run('a');
  host.print('a', ['one']);
  await host.settle();
  appendFileSync(segment(), Buffer.concat([Buffer.from('17900000'), Buffer.alloc(40)]));
  host.kill();
  host.print('a', ['two']);
  await host.settle();
  expect(await host.kept()).toEqual([starts('a'), 'stdout one', 'stdout two']);
});

test.each([
  ['back', 600_000],
  ['forward', -600_000],
])(
  'every line is kept once and in order when the clock is set %s by ten minutes, also by a process that starts after it',
  async (_, ms) => {
    host.run('a');
    host.print('a', ['one']);
    await host.settle();
    host.clock.setBack(ms);
    for (const text of ['two', 'three', 'four']) {
      await host.clock.advance(5_000);
      host.print('a', [text]);
      await host.settle();
    }
    const lastId = host.logs.lastIdOf(serviceId);
    host.kill();
    await host.settle();
    host.print('a', ['five']);
    await host.settle();
    await host.logs.tidy();
    expect(await host.kept()).toEqual([
      starts('a'),
      ...['one', 'two', 'three', 'four', 'five'].map((text) => `stdout ${text}`),
    ]);
    expect(host.logs.lastIdOf(serviceId)).toBeGreaterThan(lastId);
  },
);

test('lines that Docker has dropped meanwhile are told by a line', async () => {
  host.run('a');
  host.print('a', ['one']);
  await host.settle();
  host.kill();
  host.keeper.stop();
  await host.clock.advance(5_000);
  host.print('a', ['three']);
  host.containers.get('a')?.lines.shift();
  host.kill();
  await host.settle();
  expect(await host.kept()).toEqual([
    starts('a'),
    'stdout one',
    'system Lines are missing here: Docker dropped them while the runner could not read them.',
    'stdout three',
  ]);
});

test('on a full disk the oldest lines go first, then nothing is written, and afterwards no line is lost or doubled', async () => {
  let freeBytes = 1e12;
  host.keeper.stop();
  host = new KeptHost(directory, { readSpace: () => ({ freeBytes, totalBytes: 1e12 }) });
  host.run('a');
  host.print('a', ['one']);
  await host.settle();
  freeBytes = 0;
  await host.clock.advance(6_000);
  host.print('a', ['two', 'three']);
  await host.settle();
  expect(await host.kept()).toEqual([starts('a'), 'stdout one']);
  host.print('a', ['four']);
  freeBytes = 1e12;
  await host.clock.advance(31_000);
  await host.settle();
  expect(await host.kept()).toEqual([starts('a'), 'stdout one', 'stdout two', 'stdout three', 'stdout four']);
});

test('complete segments are compressed, and the oldest are removed above the limit', {
  tags: 'slow',
}, async () => {
  host.keeper.stop();
  host = new KeptHost(directory, { limits: { serviceBytes: 14e6, totalBytes: 1e9, ageMs: 86_400_000 } });
  host.run('a');
  // Random text, which hardly becomes smaller.
  const text = () => Buffer.from(crypto.getRandomValues(new Uint8Array(4_000))).toString('base64');
  for (let batch = 0; batch < 8; batch++) {
    host.print('a', [...Array(400).keys()].map(text));
    await host.settle();
    await host.logs.tidy();
  }
  host.print('a', ['last']);
  await host.settle();
  await host.logs.tidy();
  const names = readdirSync(join(directory, serviceId));
  expect(names.filter((name) => name.endsWith('.log'))).toHaveLength(2);
  expect(names.filter((name) => name.endsWith('.zst')).length).toBeGreaterThan(0);
  const bytes = names.reduce((sum, name) => sum + statSync(join(directory, serviceId, name)).size, 0);
  expect(bytes).toBeLessThanOrEqual(14e6);
  const kept = await host.kept();
  expect(kept.at(-1)).toBe('stdout last');
  expect(kept.length).toBeLessThan(3_000);
});

test('a log that Docker cannot read is asked for less and less often, and is kept again once it can', async () => {
  host.run('a');
  host.damaged.add('a');
  const readsIn = async (seconds: number) => {
    const before = host.failedReads;
    for (let passed = 0; passed < seconds; passed += 2.4) await host.settle();
    return host.failedReads - before;
  };
  const first = await readsIn(60);
  const later = await readsIn(240);
  expect(first).toBeGreaterThan(3);
  expect(first).toBeLessThanOrEqual(7);
  expect(later).toBeLessThanOrEqual(5);
  host.damaged.clear();
  host.print('a', ['whole again']);
  await readsIn(70);
  expect(await host.kept()).toContain('stdout whole again');
});
