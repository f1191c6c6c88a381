/** Parses `.env` files and compares them with the variables of a service. */
import { readEnvText } from '../../protocol/env-text.ts';
import { usageFailure } from '../base/failure.ts';

export type Values = Record<string, string>;

/** Parses a file as the API does. @throws Failure (usage) with the line */
export function readEnvFile(text: string, from: string): Values {
  const { entries, problem } = readEnvText(text);
  if (problem === null) return Object.fromEntries(entries.map(({ key, value }) => [key, value]));
  throw usageFailure(`${from} can't be read: ${problem}`);
}

/** The same variables as bodies of the API have them. */
export const variableList = (values: Values) =>
  Object.entries(values).map(([key, value]) => ({ key, value }));

/** The names that differ, sorted. */
export interface Difference {
  /** Only in the file. */
  added: string[];
  changed: string[];
  /** Only in the service. */
  missing: string[];
}

export function compare(file: Values, service: Values): Difference {
  const [here, there] = [new Map(Object.entries(file)), new Map(Object.entries(service))];
  const names = [...new Set([...here.keys(), ...there.keys()])].sort();
  return {
    added: names.filter((name) => !there.has(name)),
    changed: names.filter((name) => here.has(name) && there.has(name) && here.get(name) !== there.get(name)),
    missing: names.filter((name) => !here.has(name)),
  };
}

/** `KEY=VALUE` from the command line. @throws Failure (usage) */
export function assignment(text: string): [key: string, value: string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw usageFailure(
    `"${text}" is not KEY=VALUE. To read the value from stdin: longshore env set KEY --stdin`,
  );
}
