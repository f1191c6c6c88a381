import { z } from 'zod';
import { receiverUrl } from '../../names/webhook-url.ts';
import { type ChannelKind, hostOf, jsonPost, shortened } from './channel-kind.ts';

/** A message has at most 28 KB: https://learn.microsoft.com/microsoftteams/limits-specifications-teams */
const detailMax = 8_000;

/**
 * A workflow of Microsoft Teams ("Post to a channel when a webhook request is received"), which takes an adaptive card:
 * https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using
 */
export const teams: ChannelKind<{ url: string }> = {
  config: z.strictObject({
    url: receiverUrl('https://prod-00.westeurope.logic.azure.com/workflows/...').describe(
      'URL of the workflow.',
    ),
  }),
  target: ({ url }) => hostOf(url),
  request: ({ url }, { summary, detail, footer, isGood }) =>
    jsonPost(url, {
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          contentUrl: null,
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            type: 'AdaptiveCard',
            version: '1.4',
            body: [
              textBlock(summary, { weight: 'Bolder', color: isGood ? 'Good' : 'Attention' }),
              ...(detail ? [textBlock(shortened(detail, detailMax))] : []),
              textBlock(footer, { isSubtle: true, size: 'Small' }),
            ],
          },
        },
      ],
    }),
};

/** Text blocks read Markdown: https://adaptivecards.io/explorer/TextBlock.html */
const textBlock = (text: string, style: object = {}) => ({
  type: 'TextBlock',
  text: text.replace(/[\\*_[\]()#`]/g, '\\$&'),
  wrap: true,
  ...style,
});
