import { z } from 'zod';
import { type ChannelKind, jsonPost, shortened } from './channel-kind.ts';

/** https://core.telegram.org/bots/api#sendmessage: at most 4,096 characters */
const textMax = 4_096;

/** A bot of Telegram. Without `parse_mode` its text is plain, so nothing has to be escaped. */
export const telegram: ChannelKind<{ botToken: string; chatId: string }> = {
  config: z.strictObject({
    botToken: z
      .string()
      .regex(/^\d{1,20}:[A-Za-z0-9_-]{1,128}$/, 'must be the token of a bot, as BotFather shows it')
      .describe('Token of the bot, from BotFather.'),
    chatId: z
      .string()
      .regex(
        /^(-?\d{1,20}|@[A-Za-z]\w{1,63})$/,
        'must be the id of a chat, such as "-1001234567890", or the name of a channel, such as "@deploys"',
      )
      .describe('Id of the chat, or the name of a public channel with its @.'),
  }),
  target: ({ chatId }) => chatId,
  request: ({ botToken, chatId }, { summary, detail, footer, isGood }) =>
    jsonPost(`https://api.telegram.org/bot${botToken}/sendMessage`, {
      chat_id: chatId,
      text: shortened(
        [`${isGood ? '✅' : '⚠️'} ${summary}`, detail, footer].filter(Boolean).join('\n\n'),
        textMax,
      ),
      link_preview_options: { is_disabled: true },
    }),
};
