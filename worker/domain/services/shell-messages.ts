/** The text messages of each side of a shell, and the limits after which a shell ends on its own. */
import type { z } from 'zod';
import {
  shellClientMessageSchema,
  shellHostMessageSchema,
  shellSilenceMs,
} from '../../../protocol/shells/shell.ts';

export type ShellSide = 'client' | 'host';

const schemas = { client: shellClientMessageSchema, host: shellHostMessageSchema };
type Message = z.infer<typeof shellClientMessageSchema> | z.infer<typeof shellHostMessageSchema>;

/** @returns undefined for a message that this side may not send */
export function parseShellText(side: ShellSide, text: string): Message | undefined {
  try {
    return schemas[side].safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Both sides must connect within this time, otherwise the session ends. */
export const shellOpenMs = 30_000;
/** Limit without a byte in either direction. */
const shellIdleMs = 30 * 60_000;
export const shellLifeMs = 8 * 3_600_000;

/** Epoch milliseconds; `client` and `host`: the last sign of life, 0 while that side is not connected. */
export interface ShellTimes {
  createdAt: number;
  /** `null` until the client has connected. */
  startedAt: number | null;
  /** Time of the last byte. */
  usedAt: number;
  client: number;
  host: number;
}

/** @returns why the session is over, as a text for its user; undefined if it continues */
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
