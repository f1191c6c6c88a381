/**
 * A ticket lets one host write into one log on a separate socket. The hub creates it for a log that this host writes and that has
 * readers; the connect route checks it. It is signed text, so nothing is stored.
 */
import { z } from 'zod';
import { type LogWriter, logWriterSchema } from '../domain/logs/log-writer.ts';
import { fromBase64Url, toBase64Url } from './base64url.ts';
import type { Fingerprint, IsFingerprint } from './fingerprint.ts';

const ticketSchema = z.object({ writer: logWriterSchema, openUntil: z.number().int() });

/** The socket is opened at once; after this time the ticket is invalid. */
const openWithinMs = 60_000;
/** After this time the host gets a new ticket from the hub, which knows revoked hosts. */
export const writerLifeMs = 10 * 60_000;

/** @param now epoch milliseconds */
export async function makeLogTicket(
  fingerprint: Fingerprint,
  who: Omit<LogWriter, 'until'>,
  now: number,
): Promise<string> {
  const writer: LogWriter = { ...who, until: now + writerLifeMs };
  const claims = JSON.stringify({ writer, openUntil: now + openWithinMs } satisfies z.infer<
    typeof ticketSchema
  >);
  const text = toBase64Url(new Uint8Array(new TextEncoder().encode(claims)));
  return `${text}.${await fingerprint('log-ticket', text)}`;
}

/** @returns null for a forged or expired ticket */
export async function readLogTicket(
  isFingerprint: IsFingerprint,
  ticket: string,
  now: number,
): Promise<LogWriter | null> {
  const [text = '', signature = ''] = ticket.split('.');
  if (!(await isFingerprint('log-ticket', text, signature))) return null;
  const { writer, openUntil } = ticketSchema.parse(JSON.parse(new TextDecoder().decode(fromBase64Url(text))));
  return now <= openUntil ? writer : null;
}
