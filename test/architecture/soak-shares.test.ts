import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { eachCommit, shares } from '../soak-shares.ts';
import { readCommitNumber } from '../support/commit-share.ts';

const files = globSync(['test/soak/**/*.test.ts', 'test/{runner,e2e,local}/**/*.soak.test.ts']);

test('every soak file runs on each commit or is in exactly one share', () => {
  expect([...eachCommit, ...shares.flat()].sort()).toEqual(files.sort());
});

test('a file that draws its own share by the commit runs on each commit, so that both choices never exclude each other', () => {
  const drawing = files.filter((file) => readFileSync(file, 'utf8').includes('commitShare('));
  expect(drawing.length).toBeGreaterThan(0);
  expect(drawing.filter((file) => !eachCommit.includes(file))).toEqual([]);
});

test('the number of a commit grows by one with each commit; a shallow clone takes it from the hash, a plain folder has 0', () => {
  const folder = mkdtempSync(join(tmpdir(), 'commit-number-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
  expect(readCommitNumber(folder)).toBe(0);
  git('init', '--quiet', 'whole');
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
  for (const number of [1, 2, 3]) {
    git('-C', 'whole', ...identity, 'commit', '--quiet', '--allow-empty', '-m', `${number}`);
    expect(readCommitNumber(join(folder, 'whole'))).toBe(number);
  }
  git('clone', '--quiet', '--depth', '1', `file://${folder}/whole`, 'shallow');
  const hash = git('-C', 'whole', 'rev-parse', 'HEAD');
  expect(readCommitNumber(join(folder, 'shallow'))).toBe(Number.parseInt(hash.slice(0, 8), 16));
});
