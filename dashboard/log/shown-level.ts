/** The level of a line as a log shows it: the rule of the hosts, with the platform's own lines about phases. */
import { jsonOf } from '../../protocol/logs/lines/json-line.ts';
import { levelOf } from '../../protocol/logs/lines/line-level.ts';
import type { Line } from './line.ts';

export type ShownLevel = 'error' | 'warning' | 'other';

/** The host's line for a failed phase. */
const phaseFailed = /: ended after [\d.]+ s$/;

export function shownLevelOf({ line, stream }: Pick<Line, 'line' | 'stream'>): ShownLevel {
  if (stream === 'system' && phaseFailed.test(line)) return 'error';
  const level = levelOf(line, jsonOf(line));
  if (level === 'error' || level === 'fatal') return 'error';
  return level === 'warn' ? 'warning' : 'other';
}
