/** The variables of a database: those it is made with, and those that are derived from them for the services that use it. */
import {
  type DatabaseEngine,
  databaseEngines,
  type EngineName,
  type EngineVariable,
} from './database-engines.ts';
import { ApiError } from './errors.ts';
import type { ValuePart } from './value-parts.ts';
import type { NewVariable } from './variable-fields.ts';

const passwordLength = 32;
/** Letters and digits: they need no quoting in a URL, a command line or a settings file, and start no option. */
const passwordAlphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/** Bytes at or above this are thrown away, so that every character is equally likely. */
const unbiasedBelow = 256 - (256 % passwordAlphabet.length);

type FillRandom = (bytes: Uint8Array<ArrayBuffer>) => void;

/** A generated password: 190 bits. @param fillRandom fills the given bytes with randomness */
function newPassword(fillRandom: FillRandom): string {
  let password = '';
  const bytes = new Uint8Array(passwordLength * 2);
  while (password.length < passwordLength) {
    fillRandom(bytes);
    for (const byte of bytes) {
      if (byte < unbiasedBelow && password.length < passwordLength) {
        password += passwordAlphabet[byte % passwordAlphabet.length];
      }
    }
  }
  return password;
}

/** A create body's variables and those that the engine needs beside them. An empty one counts as missing: no engine starts with it. */
export function withEngineVariables(
  engine: EngineName,
  given: readonly NewVariable[],
  fillRandom: FillRandom,
): NewVariable[] {
  const needed = databaseEngines[engine].variables;
  const isMissing = ({ key }: EngineVariable) => !given.some((one) => one.key === key && one.value !== '');
  const added = needed.filter(isMissing).map(({ key, initial }) => ({
    key,
    value: initial === 'password' ? newPassword(fillRandom) : initial.text,
  }));
  return [...given.filter(({ key }) => !added.some((one) => one.key === key)), ...added];
}

/** What the engine's image would refuse to start with. @throws ApiError `invalid_request` */
export function assertEngineTakes(engine: EngineName | null, { key, value }: NewVariable): void {
  if (engine !== 'mysql' || key !== 'MYSQL_USER' || value !== 'root') return;
  throw new ApiError(
    'invalid_request',
    'The variable MYSQL_USER can\'t be "root": MySQL makes that user itself, with MYSQL_ROOT_PASSWORD. Name another one, such as "app".',
  );
}

/** The columns of a database that its address is made of. */
export interface DatabaseFacts {
  engine: EngineName;
  slug: string;
  internalPort: number;
  hostPort: number;
  isPublic: boolean;
  publicHostname: string | null;
  /** Where its host is reached from outside: an IP address. */
  publicIp: string;
}

/** Marks the variables that lead through the host's public address. */
const publicSuffix = '_PUBLIC';

export interface DerivedVariable {
  key: string;
  /** What it is, for a person. */
  label: string;
  parts: ValuePart[];
}

/**
 * The derived, read-only variables of a database. They exist for references alone and are in nobody's environment by themselves.
 * One that the database has under the same name goes before: who sets it means it.
 */
export function derivedVariables(facts: DatabaseFacts): DerivedVariable[] {
  const engine: DatabaseEngine = databaseEngines[facts.engine];
  const inside = engine.urlOf({ host: facts.slug, port: facts.internalPort });
  const own = engine.urlKeys.map((key) => ({ key, label: 'URL', parts: inside }));
  if (!facts.isPublic) return own;
  const host = facts.publicHostname ?? hostOf(facts.publicIp);
  const outside = engine.urlOf({ host, port: facts.hostPort });
  const more = engine.urlKeys.map((key) => ({
    key: `${key}${publicSuffix}`,
    label: 'public URL',
    parts: outside,
  }));
  return [...own, ...more];
}

/** An IPv6 address stands in brackets (RFC 3986, section 3.2.2). */
function hostOf(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}
