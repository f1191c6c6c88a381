/** Repositories for tests. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Content of a file, or the target of a link. */
export type TestFile = string | { link: string };

/** Adds a commit to `branch` of `<root>/<name>`. Returns the commit's sha. */
export function commitRepository(
  root: string,
  name: string,
  files: Record<string, TestFile>,
  branch = 'main',
): string {
  const directory = join(root, name);
  const git = (...args: string[]) =>
    execFileSync(
      'git',
      ['-C', directory, '-c', 'user.name=test', '-c', 'user.email=test@localhost', ...args],
      {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    ).trim();
  mkdirSync(directory, { recursive: true });
  try {
    git('rev-parse', '--git-dir');
  } catch {
    git('init', '-q', '-b', branch);
  }
  writeFiles(directory, files);
  git('add', '-A');
  git('commit', '-q', '--allow-empty', '-m', 'change');
  return git('rev-parse', 'HEAD');
}

export function writeFiles(directory: string, files: Record<string, TestFile>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    if (typeof content === 'string') writeFileSync(join(directory, path), content);
    else symlinkSync(content.link, join(directory, path));
  }
}
