/** The files of a commit in the output of `git ls-tree -r -l -z`, counted before any is written. */
import { JobFailure } from '../base/job-failure.ts';
import type { SourceBudget } from './source-budget.ts';

export interface TreeEntry {
  /** `160000` is a submodule. */
  mode: string;
  sha: string;
  /** 0 for a submodule. */
  bytes: number;
  path: string;
}

export const submoduleMode = '160000';
/** Linux opens no longer path (PATH_MAX), but git accepts such a tree. */
const pathCharsMax = 4096;
/** The limit includes mode, type, name and size of an object before its path. */
const recordCharsMax = pathCharsMax + 256;
const line = /^(\d{6}) \w+ ([0-9a-f]{40,64}) +(\d+|-)\t(.*)$/s;

/**
 * Parses the output piece by piece. Aborts `signal` with the refusal once it exceeds the budget: nested trees can list billions of files.
 */
export function treeReader(budget: SourceBudget): {
  take: (text: string) => void;
  entries: TreeEntry[];
  signal: AbortSignal;
} {
  const entries: TreeEntry[] = [];
  const tooLarge = new AbortController();
  let open = '';
  const take = (text: string) => {
    if (tooLarge.signal.aborted) return;
    const records = (open + text).split('\0');
    open = records.pop() ?? '';
    try {
      if ([open, ...records].some((record) => record.length > recordCharsMax)) throw pathTooLong();
      const read = records.flatMap(entryOf);
      budget.addFiles(
        read.length,
        read.reduce((sum, { bytes }) => sum + bytes, 0),
      );
      for (const entry of read) entries.push(entry);
    } catch (error) {
      tooLarge.abort(error);
    }
  };
  return { take, entries, signal: tooLarge.signal };
}

const pathTooLong = () =>
  new JobFailure(
    'source_refused',
    `The repository has a file with a path of more than ${pathCharsMax} characters, which no host can open.`,
  );

function entryOf(record: string): TreeEntry[] {
  const [, mode = '', sha = '', size = '', path = ''] = line.exec(record) ?? [];
  return mode ? [{ mode, sha, bytes: size === '-' ? 0 : Number(size), path }] : [];
}
