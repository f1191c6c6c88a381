import { ImportRefusal } from '../../archive/import-refusal.ts';
import { EngineError } from '../../engine-error.ts';

const needed = '+select +scan +dump +pttl +dbsize';
/** Temporary states of a server that can't answer now. */
const passing = /^(LOADING|BUSY|MASTERDOWN|TRYAGAIN|CLUSTERDOWN)\b|^ERR max number of clients/;

/** Converts a source's refusal of a command to a message with a solution. */
export function refusedBy(command: string, said: string): Error {
  const words = said.replace(/\.$/, '');
  if (/^NOAUTH/.test(words))
    return new ImportRefusal(
      'The source asks for a password: redis://user:password@host, or redis://:password@host.',
    );
  if (/^NOPERM.*\bkeys?\b/.test(words))
    return new ImportRefusal(
      `The source's user may not read every key (${words}): use a user who may, such as one with the permissions "~* ${needed}".`,
    );
  if (/^NOPERM/.test(words))
    return new ImportRefusal(
      `The source's user may not use ${command} (${words}): an import needs the permissions "~* ${needed}".`,
    );
  if (/unknown command|command is not (allowed|available|supported)/i.test(words))
    return new ImportRefusal(
      `The source does not offer ${command}, without which its keys can't be copied: its provider has removed or renamed it (${words}).`,
    );
  if (/cluster mode|^MOVED/i.test(words)) return new ImportRefusal(clusterRefusal);
  const isPassing = passing.test(words);
  return new EngineError(
    'unavailable',
    `The source answered ${command} with: ${words}.${isPassing ? ' Try again when it is ready.' : ''}`,
  );
}

export const clusterRefusal =
  'The source is part of a cluster, where each server has only some of the keys: move all keys to one server first.';
