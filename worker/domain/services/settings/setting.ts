/** The description of a setting of a service, and the kinds of values that settings have. */
import { z } from 'zod';
import type { ServiceKind } from '../service-kind.ts';

/** One row of the table of settings. */
export interface Setting {
  /** The input element. `names`: pairs of a variable's key and name. `options`: settings of a database engine, by name. */
  control: 'text' | 'number' | 'switch' | 'choice' | 'words' | 'names' | 'options';
  /** The values that a body may set. */
  schema: z.ZodType;
  /** The form in the API's answers. If absent: the API never shows the setting. */
  answer?: z.ZodType;
  choices?: readonly string[];
  /** Forms require a value, although the schema accepts null for other kinds. */
  isRequired?: true;
  /** The least action that applies a change to the live version. A restart keeps the image, the kind and the host of the live version. */
  appliedBy: 'nothing' | 'restart' | 'deployment';
  /** Its own column, a key in a JSON column, or what the use cases of services decide. */
  stored:
    | 'column'
    | 'containerSettings'
    | 'healthSettings'
    | 'stopSettings'
    | 'pushSettings'
    | 'buildSettings'
    | 'code';
  /** The value of a new service. Absent: null for keys of JSON columns, decided by use cases for others. */
  default?: unknown;
  /** The part of a deployment's spec that contains it. If absent: its source or no part. `web`: only while it serves requests without volumes. */
  spec?: 'build' | 'version' | 'service' | 'web' | 'container' | 'health' | 'stop';
  /** Kinds of services that have it. If absent: all. */
  kinds?: readonly ServiceKind[];
  /** The reason to refuse it for other kinds, after `The field "<name>" `. If absent: other kinds store it without an effect. */
  refusals?: Partial<Record<ServiceKind, string>>;
  /** Whether forms show it only for web services. */
  isForWeb?: true;
  /** Forms show it only for databases of these engines. */
  engines?: readonly string[];
  /** Title of its group in forms. If absent: forms have no field for it. */
  group?: string;
  label?: string;
  /** The description in the API reference and in forms, where `null` becomes `empty`. */
  note: string;
  /** The line below its field in forms, instead of the note. */
  help?: string;
  /** The example in the API reference. */
  example: unknown;
}

export const built = ['git', 'upload'] as const;
export const apps = ['git', 'upload', 'image'] as const;

/** A number within a range, both ends included. @param unit follows the numbers in error messages */
export const between = <Number extends z.ZodNumber>(number: Number, from: number, to: number, unit = '') =>
  number.min(from, `must be at least ${from}${unit}`).max(to, `must be at most ${to}${unit}`);

/** The helpers below return the common parts of settings with one kind of value. An optional setting is null by default. */
export const text = <S extends z.ZodType>(schema: S) =>
  ({ control: 'text', schema, answer: z.string() }) as const;
export const optionalText = <S extends z.ZodType>(schema: S) =>
  ({ control: 'text', schema, answer: z.string().nullable(), default: null }) as const;
export const integer = <S extends z.ZodType>(schema: S) =>
  ({ control: 'number', schema, answer: z.int() }) as const;
export const optionalInteger = <S extends z.ZodType>(schema: S) =>
  ({ control: 'number', schema, answer: z.int().nullable(), default: null }) as const;
export const optionalNumber = <S extends z.ZodType>(schema: S) =>
  ({ control: 'number', schema, answer: z.number().nullable(), default: null }) as const;
export const optionalWords = <S extends z.ZodType>(schema: S) =>
  ({ control: 'words', schema, answer: z.array(z.string()).nullable(), default: null }) as const;
export const choice = <const Choices extends readonly string[]>(choices: Choices) =>
  ({ control: 'choice', choices, schema: z.enum(choices), answer: z.enum(choices) }) as const;
export const onOff = () =>
  ({ control: 'switch', schema: z.boolean(), answer: z.boolean(), default: false }) as const;

const pathMax = 500;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
const controlCharacters = /[\u0000-\u001f\u007f]/;

/** An empty text clears the field, like null. */
export const orNull = (schema: z.ZodType<string>) =>
  z.preprocess((value) => (value === '' ? null : value), schema.nullable());

export const pathText = z.string().max(pathMax, `is too long: at most ${pathMax} characters`);

/** A path inside the repository. The runner checks it again against the checked-out files. */
export const relativePath = orNull(
  pathText.refine(isRelative, 'must be a path inside the repository: relative, with "/", without ".."'),
);

function isRelative(path: string): boolean {
  return (
    !controlCharacters.test(path) &&
    !path.includes('\\') &&
    !path.startsWith('/') &&
    !path.split('/').includes('..')
  );
}
