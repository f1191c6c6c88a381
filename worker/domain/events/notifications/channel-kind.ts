import type { z } from 'zod';
import type { Mail } from './mail-text.ts';
import type { SmtpServer } from './smtp-server.ts';

/** What a notification says, the same for every kind of channel. */
export interface Message {
  /** One sentence. */
  summary: string;
  /** Why it happened; null: the summary says it all. */
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

/** A mail for a mail server: what makes it unique is added when it is sent. */
export interface MailDelivery {
  server: SmtpServer;
  mail: Omit<Mail, 'messageId' | 'date'>;
}

/** One kind of receiver: what it needs, and how it wants a message. */
export interface ChannelKind<Config> {
  /** The part of a request's body that configures it. All of it is stored encrypted and never returned. */
  config: z.ZodType<Config>;
  /** Enough to tell channels apart, and no secret: the addresses of most receivers are secrets. */
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

/** Cut to the receiver's limit, which would refuse a longer text. @param max UTF-16 code units */
export function shortened(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`;
}

export const hostOf = (url: string): string => new URL(url).host;
