/** E-mail over SMTP, by the operator's own mail server or a provider's. */
import { z } from 'zod';
import { ApiError } from '../../errors.ts';
import { isPrivateHost } from '../../names/private-host.ts';
import { type ChannelKind, shortened } from './channel-kind.ts';
import { mailboxesSchema, subjectMax } from './email.ts';
import { addressOf } from './mail-text.ts';
import { type SmtpServer, smtpSecurities } from './smtp-server.ts';

interface SmtpConfig extends Omit<SmtpServer, 'security'> {
  security?: SmtpServer['security'] | undefined;
  from: string;
  to: string[];
}

/** Submission ports (RFC 8314), and the alternatives that providers offer: a channel must not reach any other service. */
const submissionPorts: readonly number[] = [465, 587, 2465, 2525, 2587];
const implicitTlsPorts: readonly number[] = [465, 2465];
const credentialMax = 255;
const credential = () =>
  z
    .string()
    .min(1, 'must not be empty')
    .max(credentialMax, `is too long: at most ${credentialMax} characters`)
    .regex(/^\P{Cc}*$/u, 'must not contain control characters');

const config = z
  .strictObject({
    host: z
      .string()
      .max(253, 'is too long: at most 253 characters')
      .refine(
        (host) => hostNameOf(host) !== undefined,
        'must be the name of a mail server, such as "smtp.example.com"',
      )
      .describe('Name of the mail server.'),
    port: z
      .int('must be a port, such as 587')
      .min(1, 'must be a port, such as 587')
      .max(65_535, 'must be a port, such as 587')
      .default(587)
      .describe(`Port: one of ${submissionPorts.join(', ')}.`),
    security: z
      .enum(smtpSecurities, 'must be "tls", "starttls" or "none"')
      .optional()
      .describe('`tls`: encrypted from the start; `starttls`: after STARTTLS; absent: as the port has it.'),
    username: credential().optional().describe('User name; absent: the server needs none.'),
    password: credential().optional().describe('Password or API key of that user.'),
    from: z
      .string()
      .max(320, 'is too long: at most 320 characters')
      .refine(
        isSender,
        'must be an address, such as "deploys@example.com" or "Deploys <deploys@example.com>"',
      )
      .describe('Sender, with or without a name.'),
    to: mailboxesSchema,
  })
  .refine(({ username, password }) => (username === undefined) === (password === undefined), {
    message: 'needs "username" and "password", or none of them',
  })
  .refine(({ security, username }) => security !== 'none' || username === undefined, {
    message: 'would send the password without encryption: set "security" to "tls" or "starttls"',
  });

export const smtp: ChannelKind<SmtpConfig> = {
  config,
  target: ({ to, host }) => `${to.join(', ')} by ${host}`,
  request({ from, to, security, ...address }, { summary, detail, footer }) {
    const byPort = implicitTlsPorts.includes(address.port) ? 'tls' : 'starttls';
    const server = { ...address, security: security ?? byPort };
    const text = [summary, detail, footer].filter(Boolean).join('\n\n');
    return {
      server,
      mail: { from, to, subject: shortened(summary.replace(/[\s\p{Cc}]+/gu, ' '), subjectMax), text },
    };
  },
};

/** Refuses line breaks and other control characters, so that nobody can add a header or a command. */
function isSender(from: string): boolean {
  return /^[^<>\p{Cc}]{1,100} <[^<>]+>$|^[^<>]+$/u.test(from) && z.email().safeParse(addressOf(from)).success;
}

/** @returns the host in the form for a socket, with numeric addresses normalised; undefined if it is no host */
function hostNameOf(host: string): string | undefined {
  const url = URL.parse(`https://${host}/`);
  if (!url || url.href !== `https://${url.hostname}/`) return undefined;
  return /^(?:[\w.-]+|\[[\da-f:.]+\])$/i.test(url.hostname)
    ? url.hostname.replace(/^\[|\]$/g, '')
    : undefined;
}

/**
 * Refuses a mail server that is not public, encrypted and at a submission port, unless the operator allows others (setting
 * `allowPrivateEventWebhook`). The server is checked when it is set and at each delivery.
 * @throws ApiError `invalid_request`
 */
export function checkedMailServer(server: SmtpServer, allowsPrivate: boolean): SmtpServer {
  const host = hostNameOf(server.host) ?? '';
  const wayOut = 'unless the setting "allowPrivateEventWebhook" is true';
  const refusal = (field: string, predicate: string) =>
    new ApiError('invalid_request', `The field "smtp.${field}" ${predicate}, ${wayOut}.`);
  if (!allowsPrivate) {
    if (isPrivateHost(host)) throw refusal('host', 'must not point to a private address');
    if (!submissionPorts.includes(server.port))
      throw refusal(
        'port',
        `must be one of ${submissionPorts.join(', ')} (port 25 is blocked by most networks)`,
      );
    if (server.security === 'none') throw refusal('security', 'must be "tls" or "starttls"');
  }
  return { ...server, host };
}
