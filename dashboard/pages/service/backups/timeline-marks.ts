/** Positions on the timeline of backups, from 0 (oldest) to 1 (now). */
import type { Backup } from './backup.ts';

export interface Bar {
  backup: Backup;
  at: number;
  /** Size relative to the largest backup, from 0 to 1. A running or failed backup has no size. */
  size: number;
  isProven: boolean;
}

/** The line from a backup to the time of its restore. */
export interface Span {
  id: string;
  backup: Backup;
  from: number;
  to: number;
  state: 'running' | 'succeeded' | 'failed';
  /** The lane, below other lines that it would cover. */
  lane: number;
}

export interface Timeline {
  from: number;
  to: number;
  bars: Bar[];
  spans: Span[];
  lanes: number;
}

/** The shortest time span, so that a first backup does not fill the timeline. */
const shortestMs = 60_000;
/** More lanes would not be readable. */
const lanesMax = 4;
/** Distance between two lines on the same lane, as a share of the width. */
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
