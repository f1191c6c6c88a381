/** The variables of a database: those it is created with, and those derived from them for other services. */

import { ApiError } from '../errors.ts';
import type { ValuePart } from '../values/value-parts.ts';
import type { NewVariable } from '../variables/variable-fields.ts';
import {
  type DatabaseEngine,
  databaseEngines,
  type EngineName,
  type EngineVariable,
} from './database-engines.ts';

const passwordLength = 32;
/** Letters and digits only: they need no quoting in a URL, command line or config file, and can't look like an option. */
const passwordAlphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/** Bytes at or above this are discarded, so that every character is equally likely. */
const unbiasedBelow = 256 - (256 % passwordAlphabet.length);

type FillRandom = (bytes: Uint8Array<ArrayBuffer>) => void;

/** Generates a password with 190 bits of entropy. @param fillRandom fills the given bytes with randomness */
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

/**
 * Adds the variables that the engine requires to those of a create body. An empty value counts as missing, because no engine starts
 * with it. Generated passwords are marked secret, so that no later rule can reveal them.
 */
export function withEngineVariables(
  engine: EngineName,
  given: readonly NewVariable[],
  fillRandom: FillRandom,
): NewVariable[] {
  const needed = databaseEngines[engine].variables;
  const isMissing = ({ key }: EngineVariable) => !given.some((one) => one.key === key && one.value !== '');
  const added = needed
    .filter(isMissing)
    .map(({ key, initial }) =>
      initial === 'password'
        ? { key, value: newPassword(fillRandom), secret: true }
        : { key, value: initial.text },
    );
  return [...given.filter(({ key }) => !added.some((one) => one.key === key)), ...added];
}

/** Refuses values with which the engine's image would not start. @throws ApiError `invalid_request` */
export function assertEngineTakes(engine: EngineName | null, { key, value }: NewVariable): void {
  if (engine !== 'mysql' || key !== 'MYSQL_USER' || value !== 'root') return;
  throw new ApiError(
    'invalid_request',
    'The variable MYSQL_USER can\'t be "root": MySQL creates this user itself, with MYSQL_ROOT_PASSWORD. Choose another name, such as "app".',
  );
}

/** The columns of a database from which its address is built. */
export interface DatabaseFacts {
  engine: EngineName;
  slug: string;
  internalPort: number;
  hostPort: number;
  isPublic: boolean;
  publicHostname: string | null;
  /** Public IP address of its host. */
  publicIp: string;
}

/** Suffix of variables whose URL uses the host's public address. */
export const publicSuffix = '_PUBLIC';

export interface DerivedVariable {
  key: string;
  /** A short description for people. */
  label: string;
  /** Whether its address can be reached from everywhere; otherwise only from the project's network on the database's host. */
  isPublic: boolean;
  parts: ValuePart[];
}

/**
 * The derived, read-only variables of a database. They exist only for references and are not in any environment by themselves.
 * A stored variable of the database with the same name takes precedence.
 */
export function derivedVariables(facts: DatabaseFacts): DerivedVariable[] {
  const engine: DatabaseEngine = databaseEngines[facts.engine];
  const inside = engine.urlOf({ host: facts.slug, port: facts.internalPort });
  const own = engine.urlKeys.map((key) => ({ key, label: 'URL', isPublic: false, parts: inside }));
  if (!facts.isPublic) return own;
  const host = facts.publicHostname ?? hostOf(facts.publicIp);
  const outside = engine.urlOf({ host, port: facts.hostPort });
  const more = engine.urlKeys.map((key) => ({
    key: `${key}${publicSuffix}`,
    label: 'public URL',
    isPublic: true,
    parts: outside,
  }));
  return [...own, ...more];
}

/** Puts an IPv6 address in brackets (RFC 3986, section 3.2.2). */
function hostOf(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}
