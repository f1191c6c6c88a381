/**
 * Which part of the tests that chance decides runs this time: kills, faults, hostile input. The commit chooses, so that a commit
 * gives the same run everywhere and the commits together try everything. `TEST_EVERYTHING=1` runs all of it.
 */
import { execFileSync } from 'node:child_process';

export const everything = process.env.TEST_EVERYTHING === '1';

/** A number that the commit decides; 0 outside a git repository. */
export const commitNumber = readCommitNumber();

/**
 * Every n-th of the values, or all of them with `TEST_EVERYTHING=1`.
 * @param shares into how many parts the values are divided
 * @param place moves the choice, so that neighbours that share a list try different parts of it
 */
export function commitShare<Value>(values: readonly Value[], shares: number, place = 0): Value[] {
  return values.filter((_, index) => everything || (index + place + commitNumber) % shares === 0);
}

function readCommitNumber(): number {
  try {
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8', stdio: 'pipe' });
    return Number.parseInt(commit.slice(0, 8), 16);
  } catch {
    return 0;
  }
}
