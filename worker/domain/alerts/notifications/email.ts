import { z } from 'zod';
import { type ChannelKind, jsonPost, shortened } from './channel-kind.ts';

interface EmailConfig {
  provider: 'resend' | 'postmark';
  apiKey: string;
  from: string;
  to: string[];
}

const recipientsMax = 10;
export const subjectMax = 200;
/** A name is allowed: `Longshore <deploys@example.com>`. Line breaks are refused, so that nobody can add a header. */
const isSender = (text: string) =>
  /^(?:[^<>\p{Cc}]{1,100} <([^<>\s]+)>|([^<>\s]+))$/u.test(text) && text.includes('@');

export const mailboxesSchema = z
  .array(z.email('must be an e-mail address'))
  .min(1, 'must not be empty')
  .max(recipientsMax, `has too many addresses: at most ${recipientsMax}`)
  .describe('Receivers.');

/** E-mail by the HTTP API of a provider, which signs mails for the domain. */
export const email: ChannelKind<EmailConfig> = {
  config: z.strictObject({
    provider: z.enum(['resend', 'postmark']).describe('The company that sends the mail.'),
    apiKey: z
      .string()
      .regex(/^[\x21-\x7e]{1,512}$/, 'must be a key without spaces')
      .describe('API key of the provider; of Postmark the server token.'),
    from: z
      .string()
      .max(320, 'is too long: at most 320 characters')
      .refine(isSender, 'must be an address that the provider may send from, such as "deploys@example.com"')
      .describe('Sender, with or without a name.'),
    to: mailboxesSchema,
  }),
  target: ({ to }) => to.join(', '),
  request({ provider, apiKey, from, to }, { summary, detail, footer }) {
    const text = [summary, detail, footer].filter(Boolean).join('\n\n');
    const subject = shortened(summary.replace(/[\s\p{Cc}]+/gu, ' '), subjectMax);
    // https://resend.com/docs/api-reference/emails/send-email
    if (provider === 'resend') {
      return jsonPost(
        'https://api.resend.com/emails',
        { from, to, subject, text },
        { authorization: `Bearer ${apiKey}` },
      );
    }
    // https://postmarkapp.com/developer/api/email-api
    return jsonPost(
      'https://api.postmarkapp.com/email',
      { From: from, To: to.join(', '), Subject: subject, TextBody: text },
      { 'x-postmark-server-token': apiKey, accept: 'application/json' },
    );
  },
};
