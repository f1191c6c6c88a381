import type { z } from 'zod';
import type { Mail } from './mail-text.ts';
import type { SmtpServer } from './smtp-server.ts';

/** The text of a notification, the same for every kind of channel. */
export interface Message {
  /** A summary in one sentence. */
  summary: string;
  /** Why it happened; `null` if the summary says it all. */
  detail: string | null;
  /** Where and when: project, event type and time. */
  footer: string;
  isGood: boolean;
}

/** A POST to the receiver. */
export interface ReceiverRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** A mail for a mail server. Its unique parts are added when it is sent. */
export interface MailDelivery {
  server: SmtpServer;
  mail: Omit<Mail, 'messageId' | 'date'>;
}

/** One kind of receiver: its settings, and its form of a message. */
export interface ChannelKind<Config> {
  /** The part of a request's body that configures the channel. All of it is stored encrypted and never returned. */
  config: z.ZodType<Config>;
  /** Enough to distinguish channels, but no secret: the addresses of most receivers are secrets. */
  target(config: Config): string;
  request(config: Config, message: Message): ReceiverRequest | MailDelivery;
}

export const jsonPost = (
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): ReceiverRequest => ({
  url,
  headers: { 'content-type': 'application/json', 'user-agent': 'Longshore', ...headers },
  body: JSON.stringify(body),
});

/** Truncates a text to the limit above which the receiver refuses it. @param max UTF-16 code units */
export function shortened(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`;
}

export const hostOf = (url: string): string => new URL(url).host;
