/**
 * Identifiers: a prefix for the kind, and 16 lower-case letters and digits, of which the first two are the mark of the cell that created it.
 * They are part of container, image and network names, so they use only characters that Docker allows in all of these.
 */
import { z } from 'zod';

export const idPrefixes = {
  tenant: 'ten',
  project: 'prj',
  service: 'svc',
  variable: 'env',
  domain: 'dom',
  deployment: 'dep',
  job: 'job',
  backup: 'bak',
  backupKey: 'bky',
  registry: 'reg',
  gitCredential: 'gcr',
  gitHubApp: 'gha',
  restore: 'rst',
  drill: 'drl',
  upgrade: 'upg',
  transfer: 'trf',
  upload: 'upl',
  import: 'imp',
  run: 'cmd',
  volume: 'vol',
  move: 'mov',
  schedule: 'sch',
  shell: 'shl',
  key: 'key',
  member: 'mem',
  identity: 'idn',
  passkey: 'pky',
  runner: 'run',
  hostTask: 'tsk',
  audit: 'aud',
  event: 'evt',
  notificationChannel: 'nch',
  alert: 'alt',
  alertRule: 'alr',
  logDrain: 'drn',
  trustPolicy: 'tru',
} as const;

export type IdKind = keyof typeof idPrefixes;

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';
const idLength = 16;
/** Bytes at or above this are discarded, so that every character is equally likely. */
const unbiasedBelow = 256 - (256 % alphabet.length);

/** A cell is one whole installation: a Worker with its database and objects. Each id and token that it creates begins with its mark. */
export const cellPattern = /^[a-z0-9]{2}$/;

/**
 * A new identifier of the given kind.
 * @param cell the mark of the creating cell; empty in a program that is not a cell
 * @param fillRandom fills the given bytes with randomness (`crypto.getRandomValues`); a parameter, so that this module stays pure
 */
export function newId(kind: IdKind, fillRandom: (bytes: Uint8Array<ArrayBuffer>) => void, cell = ''): string {
  let text = cell;
  const bytes = new Uint8Array(idLength * 2);
  while (text.length < idLength) {
    fillRandom(bytes);
    for (const byte of bytes) {
      if (byte < unbiasedBelow && text.length < idLength) text += alphabet[byte % alphabet.length];
    }
  }
  return `${idPrefixes[kind]}_${text}`;
}

/** In messages for people, a runner is called a host. */
const nameOf = (kind: IdKind) =>
  kind === 'runner' ? 'host' : kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Schema for identifiers of one kind. */
export function idSchema(kind: IdKind) {
  return z
    .string()
    .regex(
      new RegExp(`^${idPrefixes[kind]}_[a-z0-9]{${idLength}}$`),
      `must be ${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${nameOf(kind)} id: "${idPrefixes[kind]}_" and ${idLength} lower-case letters and digits`,
    );
}
