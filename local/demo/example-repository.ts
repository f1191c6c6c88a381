/** Serves examples/hello as a git repository of its own: a bare one whose work tree is the directory in this checkout. */
import { mkdir } from 'node:fs/promises';
import { runCommand } from '../setup/command.ts';

const gitTimeoutMs = 20_000;

/** The author of all commits, for any user who runs the start. */
const author = { name: 'Longshore example', email: 'example@localhost' };

export interface ExampleRepository {
  /** Commits the changes in the work tree. Calls run one at a time. */
  sync(): Promise<void>;
}

/** @param directory of the bare repository; created if it is missing. */
export async function exampleRepository(directory: string, workTree: string): Promise<ExampleRepository> {
  const git = (...args: string[]) =>
    runCommand('git', [`--git-dir=${directory}`, `--work-tree=${workTree}`, ...args], {
      timeoutMs: gitTimeoutMs,
      cwd: workTree,
      // Ignores the user's own git settings (hooks, signing, ignore files).
      env: { PATH: process.env.PATH, HOME: directory, GIT_CONFIG_NOSYSTEM: '1' },
    });
  await mkdir(directory, { recursive: true });
  await runCommand('git', ['init', '-q', '--bare', '-b', 'main', directory], { timeoutMs: gitTimeoutMs });
  let queue = Promise.resolve();
  const commitChanges = async () => {
    await git('add', '--all', '.');
    if ((await git('status', '--porcelain', '--untracked-files=no')).trim() === '') return;
    const identity = ['-c', `user.name=${author.name}`, '-c', `user.email=${author.email}`];
    await git(...identity, 'commit', '-q', '-m', 'The example app');
  };
  return {
    sync() {
      queue = queue.catch(() => {}).then(commitChanges);
      return queue;
    },
  };
}
