/**
 * Which part of the tests that chance decides runs this time: kills, faults, hostile input. The commit chooses, so that a commit
 * gives the same run everywhere and n commits in a row try all of n shares. `TEST_EVERYTHING=1` runs all of it.
 */
import { execFileSync } from 'node:child_process';

export const everything = process.env.TEST_EVERYTHING === '1';

/** How many commits lead to this one; in a shallow clone, which cannot count them, a number from its hash; 0 outside a repository. */
export const commitNumber = readCommitNumber();

/**
 * Every n-th of the values, or all of them with `TEST_EVERYTHING=1`.
 * @param shares into how many parts the values are divided
 * @param place moves the choice, so that neighbours that share a list try different parts of it
 */
export function commitShare<Value>(values: readonly Value[], shares: number, place = 0): Value[] {
  return values.filter((_, index) => everything || (index + place + commitNumber) % shares === 0);
}

/** @param folder in the repository */
export function readCommitNumber(folder = process.cwd()): number {
  try {
    const shallow = git(folder, 'rev-parse', '--is-shallow-repository') === 'true';
    return shallow
      ? Number.parseInt(git(folder, 'rev-parse', 'HEAD').slice(0, 8), 16)
      : Number(git(folder, 'rev-list', '--count', '--first-parent', 'HEAD'));
  } catch {
    return 0;
  }
}

function git(cwd: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd, encoding: 'utf8', stdio: 'pipe' }).trim();
}
