/** The instance's one outgoing webhook, which receives its events. */

import { z } from 'zod';
import { notes } from '../values/field-notes.ts';

const urlMax = 2_000;

/** The webhook in its stored form, which is also shown. Its secret is sealed in a separate settings row and is never shown again. */
export const eventWebhookSchema = z.strictObject({ url: z.string().max(urlMax).meta(notes.url) });

/** Name of the settings row with the sealed secret. It is not a setting. */
export const eventWebhookSecretName = 'eventWebhookSecret';

export interface EventWebhook {
  url: string;
  secret: string;
  /** Whether its host name may resolve to a private address. */
  allowsPrivate: boolean;
}
