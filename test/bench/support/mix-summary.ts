/** What a deployment did to what was open. */

import type { Seen } from '../../support/real-world/internal-caller.ts';
import type { MixSample } from './mixed-load.ts';
import { percentile, round } from './numbers.ts';
import type { Figure } from './report.ts';

/** A stream that says something every 0.1 s is silent for longer than this: its client waits in vain. */
const silentMaxMs = 1_000;
/** How much later a slow answer may be than without a deployment. */
const lateMaxMs = 300;

export interface MixSummary {
  /** By kind. */
  counts: Record<string, number>;
  /** Slow answers and uploads without a complete answer, and streams that could not be opened; by how they ended. */
  lost: number;
  losses: Record<string, number>;
  silent: number;
  longestSilenceMs: number;
  /** How much later than the app wanted: the median, the 99th percentile and the most, of slow answers. */
  quietLateMs: [median: number, p99: number, most: number];
  deployingLateMs: [median: number, p99: number, most: number];
}

/** @param isQuiet whether nothing was deployed in the whole life of a client that began and ended at these times (epoch ms) */
export function summaryOfMix(
  samples: MixSample[],
  isQuiet: (from: number, to: number) => boolean,
): MixSummary {
  const isStream = ({ kind }: MixSample) => kind === 'events' || kind === 'socket';
  const isLost = (one: MixSample) =>
    isStream(one) ? !['answered', 'ended', 'closed'].includes(one.how) : one.how !== 'answered';
  // The load was stopped before the last uploads had ended.
  const lost = samples.filter((one) => isLost(one) && one.how !== 'closed');
  const slow = samples.filter(({ kind, how }) => kind === 'slow' && how === 'answered');
  const [quiet = [], deploying = []] = [true, false].map((wanted) =>
    slow.filter(({ at, tookMs }) => isQuiet(at, at + tookMs) === wanted).map(({ lateMs }) => lateMs),
  );
  const late = (of: number[]): [number, number, number] => [
    round(percentile(of, 0.5)),
    round(percentile(of, 0.99)),
    round(percentile(of, 1)),
  ];
  return {
    counts: counted(samples.map(({ kind }) => kind)),
    lost: lost.length,
    losses: counted(lost.map(({ kind, how }) => `${kind}: ${how}`)),
    silent: samples.filter(({ silentMs }) => silentMs > silentMaxMs).length,
    longestSilenceMs: Math.max(0, ...samples.map(({ silentMs }) => silentMs)),
    quietLateMs: late(quiet),
    deployingLateMs: late(deploying),
  };
}

export function figuresOfMix(
  name: string,
  deployments: number,
  { mix: open, internal }: { mix: MixSummary; internal: Seen },
): Figure[] {
  const late = Math.max(0, open.deployingLateMs[2] - open.quietLateMs[2]);
  const failedInside = Object.entries(internal.kept).filter(([text]) => !/^[0-9a-f]{12}$/.test(text));
  const lostInside = failedInside.reduce((sum, [, count]) => sum + count, 0);
  return [
    {
      name: `lost of what was open in ${deployments} deployments and restarts each, ${name}`,
      goal: '0',
      seen: open.lost,
      met: open.lost === 0,
      comparedTo: JSON.stringify({ of: open.counts, lost: open.losses }),
    },
    {
      name: `streams and WebSockets that were silent for more than 1 s, ${name}`,
      goal: '0',
      seen: open.silent,
      met: open.silent === 0,
      comparedTo: `the longest silence was ${open.longestSilenceMs} ms`,
    },
    {
      name: `slow answers later than without a deployment, at most, ${name}`,
      goal: `<= ${lateMaxMs} ms`,
      seen: round(late),
      met: late <= lateMaxMs,
      comparedTo: `median, p99 and most ${open.deployingLateMs.join(', ')} ms late against ${open.quietLateMs.join(', ')} ms`,
    },
    {
      name: `lost requests of the callers by the internal name, ${name}`,
      goal: '0',
      seen: lostInside,
      met: lostInside === 0,
      comparedTo: `the slowest took ${internal.slowestMs} ms; ${JSON.stringify(Object.fromEntries(failedInside))}`,
    },
  ];
}

const counted = (names: string[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]));
