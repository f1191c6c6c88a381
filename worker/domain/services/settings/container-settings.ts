/** Settings of a service's container that replace those of its image. */
import { z } from 'zod';
import { notes } from '../../values/field-notes.ts';
import { variableKey } from '../../variables/variable-fields.ts';
import { apps, optionalInteger, optionalText, optionalWords, type Setting } from './setting.ts';

const wordsMax = 200;
const wordMax = 4096;
const namesMax = 200;
const variableName = /^[A-Za-z_][A-Za-z0-9_.-]{0,255}$/;

/** Each word reaches the program unchanged: no shell parses it. */
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

/** Names that differ from keys of variables: they may have lower-case letters, dots or dashes. */
const variableNames = z
  .array(
    z.strictObject({
      key: variableKey.meta(notes.variableKey),
      name: z
        .string()
        .regex(variableName, 'must have letters, digits, "_", "." and "-" only, such as "discovery.type"')
        .meta(notes.variableName),
    }),
  )
  .max(namesMax, `can have at most ${namesMax} names`)
  .refine(
    (list) => isDistinct(list.map(({ key }) => key)) && isDistinct(list.map(({ name }) => name)),
    'repeats a key or a name: give each once',
  )
  .nullable();

const shmSize = z
  .int()
  .min(1, 'must be at least 1 megabyte')
  .max(65_536, 'must be at most 65536 megabytes')
  .nullable();

const isDistinct = (texts: string[]) => new Set(texts).size === texts.length;

const userName = '[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}';

const ofContainer = {
  appliedBy: 'restart',
  stored: 'containerSettings',
  spec: 'container',
  kinds: apps,
  refusals: {
    database:
      'is not for databases: leave it out: the engine decides it, and options of the server are in "engineSettings".',
  },
} as const;

const instead = 'is only for container images: use "startCommand", or set it in the Dockerfile.';
/** Repositories set it in their Dockerfile. */
const ofImage = {
  ...ofContainer,
  kinds: ['image'],
  refusals: { ...ofContainer.refusals, git: instead, upload: instead },
  group: 'Container',
} as const;

export const containerSettings = {
  entrypoint: {
    ...ofImage,
    ...optionalWords(words),
    ...{ label: 'Entrypoint', example: ['/bin/sh', '-c'] },
    note: "Program in place of the image's own.",
  },
  command: {
    ...ofImage,
    ...optionalWords(words),
    ...{ label: 'Command', example: ['node', 'server.js'] },
    note: "Of a service: arguments in place of the image's own. Otherwise the command to run.",
    help: "Arguments in place of the image's own; no shell reads them.",
  },
  user: {
    ...ofImage,
    ...optionalText(
      z
        .string()
        .regex(
          new RegExp(`^${userName}(:${userName})?$`),
          'must be a user of the image or an id, and optionally a group: "node", "1000:1000"',
        )
        .nullable(),
    ),
    ...{ label: 'User', example: '1000:1000' },
    note: "User in place of the image's own.",
  },
  shmSizeMb: {
    ...ofContainer,
    ...optionalInteger(shmSize),
    group: 'Running',
    ...{ label: 'Shared memory in MB', example: 256 },
    note: "Size of /dev/shm in megabytes, for browsers; null: Docker's own, 64.",
  },
  variableNames: {
    ...ofContainer,
    control: 'names',
    schema: variableNames,
    answer: z
      .array(z.object({ key: z.string().meta(notes.variableKey), name: z.string().meta(notes.variableName) }))
      .nullable(),
    note: 'Names that variables have in the container in place of their keys, for programs that read names in lower case.',
    example: [{ key: 'DISCOVERY_TYPE', name: 'discovery.type' }],
  },
} as const satisfies Record<string, Setting>;
