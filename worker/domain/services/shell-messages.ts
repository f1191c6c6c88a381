/** What each side of a shell may say in text, and when a shell is over although nobody ended it. */
import type { z } from 'zod';
import {
  shellClientMessageSchema,
  shellHostMessageSchema,
  shellSilenceMs,
} from '../../../protocol/shells/shell.ts';

export type ShellSide = 'client' | 'host';

const schemas = { client: shellClientMessageSchema, host: shellHostMessageSchema };
type Message = z.infer<typeof shellClientMessageSchema> | z.infer<typeof shellHostMessageSchema>;

/** @returns undefined for what this side may not say */
export function parseShellText(side: ShellSide, text: string): Message | undefined {
  try {
    return schemas[side].safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Both sides come within this time, or the session is over. */
export const shellOpenMs = 30_000;
/** Without a byte in either direction. */
const shellIdleMs = 30 * 60_000;
export const shellLifeMs = 8 * 3_600_000;

/** Epoch milliseconds; `client` and `host`: the last sign of life, 0 if it is not connected. */
export interface ShellTimes {
  createdAt: number;
  /** null: the client has not come yet. */
  startedAt: number | null;
  /** Of the last byte. */
  usedAt: number;
  client: number;
  host: number;
}

/** @returns why the session is over, in words for its user; undefined if it goes on */
export function shellOver(times: ShellTimes, now: number): string | undefined {
  const { createdAt, startedAt, usedAt, client, host } = times;
  if (startedAt === null)
    return now - createdAt >= shellOpenMs ? 'The shell was not opened in time: open another one.' : undefined;
  if (host === 0) return hostLost;
  if (client === 0) return 'The client has gone.';
  if (now - host > 2 * shellSilenceMs) return hostLost;
  if (now - client > 2 * shellSilenceMs) return 'The client was silent for too long.';
  if (now - startedAt >= shellLifeMs) return 'A shell lasts 8 hours at most: open another one.';
  if (now - usedAt >= shellIdleMs) return 'Nothing was typed or printed for 30 minutes.';
  return undefined;
}

export const hostLost = 'The connection to the host was lost. What ran in the shell is ended.';
