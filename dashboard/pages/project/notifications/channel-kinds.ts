/** Kinds of notification channels: the fields of each, and the body that sets them. */
import type { PostNotificationChannelsBody } from '../../../../client/client.ts';
import type { noticesText } from '../../../text/notices-text.ts';

export type ChannelKind = keyof typeof noticesText.kinds;

interface KindField {
  name: keyof typeof noticesText.fields;
  /** `list`: one entry per line. */
  type: 'text' | 'url' | 'password' | 'number' | 'list' | 'choice';
  choices?: readonly string[];
  isOptional?: boolean;
}

const url: KindField = { name: 'url', type: 'url' };
const mail: readonly KindField[] = [
  { name: 'from', type: 'text' },
  { name: 'to', type: 'list' },
];

export const kindFields: Readonly<Record<ChannelKind, readonly KindField[]>> = {
  slack: [url],
  discord: [url],
  telegram: [
    { name: 'botToken', type: 'password' },
    { name: 'chatId', type: 'text' },
  ],
  teams: [url],
  email: [
    { name: 'provider', type: 'choice', choices: ['resend', 'postmark'] },
    { name: 'apiKey', type: 'password' },
    ...mail,
  ],
  smtp: [
    { name: 'host', type: 'text' },
    { name: 'port', type: 'number', isOptional: true },
    { name: 'username', type: 'text', isOptional: true },
    { name: 'password', type: 'password', isOptional: true },
    ...mail,
  ],
};

export const channelKinds = Object.keys(kindFields) as ChannelKind[];

/** @param typed texts of the fields, by name @returns the part of a body that sets them */
export function kindBody(
  kind: ChannelKind,
  typed: Partial<Record<string, string>>,
): Pick<PostNotificationChannelsBody, ChannelKind> {
  const entries = kindFields[kind].flatMap(({ name, type, choices, isOptional }): [string, unknown][] => {
    const text = typed[name] ?? choices?.[0] ?? '';
    if (text === '' && isOptional) return [];
    if (type === 'list') return [[name, text.split(/[\n,]+/).flatMap((one) => one.trim() || [])]];
    return [[name, type === 'number' ? Number(text) : text]];
  });
  return { [kind]: Object.fromEntries(entries) };
}
