/** Settings of a service's container in place of its image's own: fields of a service, kept together. */
import { z } from 'zod';
import { type ContainerSettings, containerSettingNames } from '../../../protocol/container-settings.ts';
import { ApiError } from '../errors.ts';
import { variableKey } from '../variables/variable-fields.ts';
import { namesSet } from './grouped-settings.ts';
import { isBuilt, type ServiceKind } from './service-kind.ts';

const wordsMax = 200;
const wordMax = 4096;
const shmMbMax = 65_536;

/** Each word reaches the program as it is: no shell reads it. */
const words = z
  .array(
    z
      .string()
      .max(wordMax, `is too long: at most ${wordMax} characters`)
      .refine((text) => !text.includes('\0') && text.isWellFormed(), 'must be text without NUL characters'),
    {
      error:
        'must be a list of words, such as ["npm", "start"]; for a line with shell syntax give ["sh", "-c", "<line>"]',
    },
  )
  .min(1, "must have at least one word, or be null for the image's own")
  .max(wordsMax, `is too long: at most ${wordsMax} words`)
  .nullable();

const namesMax = 200;
const variableName = /^[A-Za-z_][A-Za-z0-9_.-]{0,255}$/;

/** Names that are no keys of variables, because they have lower-case letters, dots or dashes. */
const variableNames = z
  .array(
    z.strictObject({
      key: variableKey,
      name: z
        .string()
        .regex(variableName, 'must have letters, digits, "_", "." and "-" only, such as "discovery.type"'),
    }),
  )
  .max(namesMax, `can have at most ${namesMax} names`)
  .refine(
    (list) => isDistinct(list.map(({ key }) => key)) && isDistinct(list.map(({ name }) => name)),
    'repeats a key or a name: give each once',
  )
  .nullable();

const isDistinct = (texts: string[]) => new Set(texts).size === texts.length;

const name = '[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}';

export const containerFields = {
  command: words,
  entrypoint: words,
  user: z
    .string()
    .regex(
      new RegExp(`^${name}(:${name})?$`),
      'must be a user of the image or an id, and optionally a group: "node", "1000:1000"',
    )
    .nullable(),
  shmSizeMb: z
    .int()
    .min(1, 'must be at least 1 megabyte')
    .max(shmMbMax, `must be at most ${shmMbMax} megabytes`)
    .nullable(),
  variableNames,
} as const;

type Fields = { [Name in keyof ContainerSettings]?: ContainerSettings[Name] | null | undefined };

/** Those that a repository has no other way to set. */
const forRepositories: ReadonlySet<keyof ContainerSettings> = new Set(['shmSizeMb', 'variableNames']);

/** @throws ApiError `unsupported` for a field that would have no effect, or would harm a database, with the way out */
export function assertContainerSettings(kind: ServiceKind, body: Fields): void {
  const given = namesSet(containerSettingNames, body);
  const refused = isBuilt({ kind }) ? given.find((field) => !forRepositories.has(field)) : given[0];
  if (kind === 'image' || refused === undefined) return;
  const instead =
    kind === 'database'
      ? 'leave it out: the engine decides it, and options of the server are in "engineSettings"'
      : 'use "startCommand", or set it in the Dockerfile';
  const only = kind === 'database' ? 'not for databases' : 'only for container images';
  throw new ApiError('unsupported', `The field "${refused}" is ${only}: ${instead}.`);
}
