/** Where things of backups are on a line of time, from 0 (oldest) to 1 (now). */
import type { Backup } from './types.ts';

export interface Bar {
  backup: Backup;
  at: number;
  /** Of the largest, from 0 to 1. A running or failed one has no size. */
  size: number;
  isProven: boolean;
}

/** From a backup to when it was restored. */
export interface Span {
  id: string;
  backup: Backup;
  from: number;
  to: number;
  state: 'running' | 'succeeded' | 'failed';
  /** Below others that it would cover. */
  lane: number;
}

export interface Timeline {
  from: number;
  to: number;
  bars: Bar[];
  spans: Span[];
  lanes: number;
}

/** So that the first backup is no line of its own. */
const shortestMs = 60_000;
/** More lanes would tell nothing. */
const lanesMax = 4;
/** Beside each other on the same lane, in parts of the whole. */
const gap = 0.02;

/** @param now in milliseconds */
export function timelineOf(backups: readonly Backup[], now: number): Timeline | undefined {
  const [first] = backups;
  if (!first) return undefined;
  const oldest = Math.min(...backups.map(({ createdAt }) => Date.parse(createdAt)));
  const from = Math.min(oldest, now - shortestMs);
  const at = (time: string) => Math.min(1, Math.max(0, (Date.parse(time) - from) / Math.max(1, now - from)));
  const largest = Math.max(1, ...backups.map(({ sizeBytes }) => sizeBytes));
  const bars = backups.map((backup) => ({
    backup,
    at: at(backup.createdAt),
    size: backup.status === 'succeeded' ? backup.sizeBytes / largest : 0,
    isProven: backup.lastProvenAt !== null,
  }));
  const spans: Span[] = [];
  const ends: number[] = [];
  for (const backup of [...backups].reverse()) {
    const { restore } = backup;
    if (!restore) continue;
    const span = { from: at(backup.createdAt), to: at(restore.createdAt) };
    const free = ends.findIndex((end) => end + gap < span.from);
    const lane = Math.min(lanesMax - 1, free < 0 ? ends.length : free);
    ends[lane] = Math.max(ends[lane] ?? 0, span.to);
    spans.push({ id: restore.id, backup, ...span, state: restore.state, lane });
  }
  return { from, to: now, bars, spans, lanes: ends.length };
}
