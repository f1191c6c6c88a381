import { z } from 'zod';
import { receiverUrl } from '../../names/webhook-url.ts';
import { type ChannelKind, hostOf, jsonPost, shortened } from './channel-kind.ts';

/** https://docs.discord.com/developers/resources/message#embed-object-embed-limits */
const titleMax = 256;
const descriptionMax = 4_096;
const green = 0x2e7d32;
const red = 0xc62828;

/** Discord's webhooks: https://docs.discord.com/developers/resources/webhook#execute-webhook */
export const discord: ChannelKind<{ url: string }> = {
  config: z.strictObject({
    url: receiverUrl('https://discord.com/api/webhooks/...').describe('URL of the webhook.'),
  }),
  target: ({ url }) => hostOf(url),
  request: ({ url }, { summary, detail, footer, isGood }) =>
    jsonPost(url, {
      embeds: [
        {
          title: shortened(escaped(summary), titleMax),
          ...(detail && { description: shortened(escaped(detail), descriptionMax) }),
          color: isGood ? green : red,
          footer: { text: footer },
        },
      ],
      allowed_mentions: { parse: [] }, // names and errors of services must not mention anybody
    }),
};

const escaped = (text: string) => text.replace(/[\\*_~`|>[\]()#]/g, '\\$&');
