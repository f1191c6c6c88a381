/** Settings of the instance, for the operator. */
import { z } from 'zod';
import { settingsSchema } from '../domain/settings.ts';
import { changeSettings, readSettings } from '../usecases/change-settings.ts';
import { type AnyRoute, defineRoute } from './route.ts';

const settingsReply = z.strictObject({ settings: settingsSchema });

const read = defineRoute({
  method: 'GET',
  path: '/api/system/settings',
  access: 'operator',
  summary: 'Read the settings of the instance.',
  reply: settingsReply,
  async handle({ deps }) {
    return { settings: await readSettings(deps) };
  },
});

const change = defineRoute({
  method: 'PATCH',
  path: '/api/system/settings',
  access: 'operator',
  summary:
    'Change settings of the instance; absent ones stay. A root domain is used for services created from then on.',
  body: settingsSchema
    .partial()
    .refine((body) => Object.keys(body).length > 0, 'is empty: give at least one setting to change'),
  reply: settingsReply,
  async handle({ deps, body }) {
    return { settings: await changeSettings(deps, body) };
  },
});

export const settingsRoutes: AnyRoute[] = [read, change];
