import { expect, test } from 'vitest';
import type { DomainState } from '../../../protocol/domain-state.ts';
import type { RunnerFrame } from '../../../protocol/frames.ts';
import { DomainSender, settleMs } from '../../../runner/connection/domain-sender.ts';
import { manualClock } from '../../support/runner/manual-clock.ts';

const state = (hostname: string, detail = ''): DomainState => ({
  hostname,
  dns: 'here',
  detail,
  certificate: { state: 'none', expiresAt: null, detail: '' },
});

function stage(seen: DomainState[] = []) {
  const clock = manualClock();
  const frames: RunnerFrame[] = [];
  let change: (states: DomainState[]) => void = () => undefined;
  const source = {
    states: () => seen,
    onChange: (listener: typeof change) => {
      change = listener;
    },
  };
  const sender = new DomainSender({ source, clock, send: (frame) => frames.push(frame) > 0 });
  const sent = () =>
    frames.map((frame) => (frame.type === 'domains' ? frame.domains.map(({ hostname }) => hostname) : frame));
  return { clock, sender, sent, frames, change: (...states: DomainState[]) => change(states) };
}

test('simultaneous changes make one frame, with the last change of each name', async () => {
  const { clock, sent, frames, change } = stage();
  change(state('a.example', 'first'));
  change(state('b.example'));
  change(state('a.example', 'last'));
  await clock.advance(settleMs);
  expect(sent()).toEqual([['a.example', 'b.example']]);
  expect(frames[0]).toMatchObject({ domains: [{ detail: 'last' }, {}] });
  await clock.advance(60_000);
  expect(sent()).toHaveLength(1);
});

test('a new connection is sent everything that was seen, in frames that fit', async () => {
  const { clock, sender, sent } = stage(
    Array.from({ length: 1_001 }, (_, index) => state(`n${index}.example`)),
  );
  sender.connected();
  await clock.advance(settleMs);
  expect(sent().map((names) => (Array.isArray(names) ? names.length : 0))).toEqual([500, 500, 1]);
});

test('a host without custom domains sends nothing', async () => {
  const { clock, sender, sent } = stage();
  sender.connected();
  await clock.advance(60_000);
  expect([sent(), clock.waiting]).toEqual([[], []]);
});

test('a closed sender sends nothing', async () => {
  const { clock, sender, sent, change } = stage();
  change(state('a.example'));
  sender.stop();
  change(state('b.example'));
  await clock.advance(60_000);
  expect(sent()).toEqual([]);
});
