/** `.env` files: read, written, and compared with the variables of a service. */
import { parseEnv } from 'node:util';
import { usageFailure } from '../base/failure.ts';

export type Values = Record<string, string>;

/** Reads a file as Node does. @throws Failure (usage) with the names that no variable may have */
export function readEnvFile(text: string, from: string): Values {
  const values = parseEnv(text) as Values;
  const wrong = Object.keys(values).filter((key) => !/^[A-Z_][A-Z0-9_]*$/.test(key));
  if (wrong.length > 0)
    throw usageFailure(
      `${from}: ${wrong.join(', ')} cannot be used as names of variables. Names have capital letters, digits and _, such as API_TOKEN. To give the app other names: longshore settings set variableNames`,
    );
  return values;
}

/**
 * A file that `readEnvFile` reads back as the same values.
 * @throws Failure (usage) with the names of values that no quotes can hold
 */
export function writeEnvFile(values: Values): string {
  return Object.entries(values)
    .map(([key, value]) => `${key}=${quoted(key, value)}\n`)
    .join('');
}

function quoted(key: string, value: string): string {
  if (/^[\w./:@%+,-]*$/.test(value)) return value;
  const forms = ["'", '`', '"'].map((quote) => `${quote}${value}${quote}`);
  const faithful = forms.find((form) => parseEnv(`${key}=${form}\nNEXT=1\n`)[key] === value);
  if (faithful !== undefined) return faithful;
  throw usageFailure(
    `The value of ${key} contains every kind of quote, or a carriage return. A .env file cannot contain it. Use: longshore env list --values --json`,
  );
}

/** The names that differ, sorted. */
export interface Difference {
  /** In the file, not in the service. */
  added: string[];
  changed: string[];
  /** In the service, not in the file. */
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
