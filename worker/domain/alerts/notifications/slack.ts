import { z } from 'zod';
import { receiverUrl } from '../../names/webhook-url.ts';
import { type ChannelKind, hostOf, jsonPost, shortened } from './channel-kind.ts';

/** A section's text has at most 3,000 characters: https://docs.slack.dev/reference/block-kit/blocks/section-block/ */
const sectionMax = 3_000;

/**
 * Slack's incoming webhooks, which Mattermost and Rocket.Chat accept as well.
 * https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks/
 */
export const slack: ChannelKind<{ url: string }> = {
  config: z.strictObject({
    url: receiverUrl('https://hooks.slack.com/services/...').describe('URL of the incoming webhook.'),
  }),
  target: ({ url }) => hostOf(url),
  request({ url }, { summary, detail, footer, isGood }) {
    const title = `${isGood ? ':white_check_mark:' : ':warning:'} ${escaped(summary)}`;
    const detailBlock = {
      type: 'section',
      text: { type: 'plain_text', text: shortened(detail ?? '', sectionMax), emoji: false },
    };
    return jsonPost(url, {
      text: escaped(summary),
      blocks: [
        { type: 'section', text: { type: 'mrkdwn', text: shortened(title, sectionMax), verbatim: true } },
        ...(detail ? [detailBlock] : []),
        { type: 'context', elements: [{ type: 'plain_text', text: footer, emoji: false }] },
      ],
    });
  },
};

/** Texts of a service must not mention a channel or forge a link: https://docs.slack.dev/messaging/formatting-message-text/#escaping */
const escaped = (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/[*_~`]/g, '\u200b$&')
    // Mattermost and Rocket.Chat read links as in Markdown, `[text](address)`, and mentions in plain text.
    .replaceAll(']', ']\u200b')
    .replaceAll('@', '@\u200b');
