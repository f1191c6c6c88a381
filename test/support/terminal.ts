/** A real terminal, tmux, for tests of what users see and type. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, onTestFinished } from 'vitest';

const run = promisify(execFile);
const installLimitMs = 60_000;
const seenLimitMs = 15_000;

export interface Terminal {
  screen(): Promise<string>;
  type(text: string): Promise<unknown>;
  press(key: string): Promise<unknown>;
  /** Types the text, and Enter. */
  command(text: string): Promise<void>;
  resize(columns: number, rows: number): Promise<unknown>;
  sees(text: string): Promise<unknown>;
}

/** Call it once in a file; `open` makes a terminal of 100 columns and 40 rows for the test that runs. */
export function useTerminal() {
  let isInstalled = false;
  beforeAll(async () => {
    isInstalled = await hasTmux();
  }, 2 * installLimitMs);
  return {
    /**
     * A bash that has the program as `longshore`, and prints the exit code of each call.
     * @param program path of the bundled command line; `home`: the directory of its settings
     */
    async open(
      { program, home }: { program: string; home: string },
      skip: (why: string) => void,
    ): Promise<Terminal> {
      if (!isInstalled) skip('tmux is missing and apt cannot install it: apt-get install tmux');
      const directory = await mkdtemp(join(tmpdir(), 'longshore-tmux-'));
      const profile = join(directory, 'profile');
      await writeFile(
        profile,
        `longshore() { '${process.execPath}' '${program}' "$@"; echo "ended with $?"; }\ncd '${directory}'\nexport LONGSHORE_CONFIG_DIR='${home}'\nPS1='ready> '\n`,
      );
      const socket = join(directory, 'tmux');
      const tmux = (...args: string[]) => run('tmux', ['-S', socket, '-f', '/dev/null', ...args]);
      await tmux('new-session', '-d', '-x', '100', '-y', '40', 'bash', '--noprofile', '--rcfile', profile);
      await tmux('set', '-g', 'status', 'off');
      await tmux('resize-window', '-x', '100', '-y', '40');
      onTestFinished(async () => {
        await tmux('kill-server').catch(() => undefined);
        await rm(directory, { recursive: true, force: true });
      });
      const screen = async () => (await tmux('capture-pane', '-p', '-S', '-100')).stdout;
      const terminal: Terminal = {
        screen,
        type: (text) => tmux('send-keys', '-l', text),
        press: (key) => tmux('send-keys', key),
        async command(text) {
          await terminal.type(text);
          await terminal.press('Enter');
        },
        resize: (columns, rows) => tmux('resize-window', '-x', String(columns), '-y', String(rows)),
        sees: (text) => expect.poll(screen, { timeout: seenLimitMs }).toContain(text),
      };
      await terminal.sees('ready>');
      return terminal;
    },
  };
}

/** Whether tmux is available; installs it with apt if needed. */
async function hasTmux(): Promise<boolean> {
  const version = () =>
    run('tmux', ['-V']).then(
      () => true,
      () => false,
    );
  if (await version()) return true;
  const install = ['install', '-y', '--no-install-recommends', 'tmux'];
  await run('apt-get', install, { timeout: installLimitMs }).catch(() => undefined);
  return version();
}
