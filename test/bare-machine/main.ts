/**
 * `npm run test:bare [-- [--debian=RELEASE] ARGUMENTS]`: the README's two commands on a machine that has nothing but Debian, Node 20, npm
 * and git. `npm start` and `npm test` (with the arguments) each get a fresh one, so that neither finds what the other has installed.
 * The release decides which Docker is tried: 20.10 in bookworm, 26.1 in trixie, 28.5 in forky.
 * Needs root, and takes about 10 GB of /var/tmp for that time.
 */
import { mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createOutput, type Output, processTarget } from '../../local/output.ts';
import { installPackages } from '../../local/setup/apt.ts';
import { canRun, runCommand } from '../../local/setup/command.ts';
import { StartError } from '../../local/start-error.ts';
import { type Undo, undoStack } from '../../local/undo.ts';
import { runInMachine } from './machine.ts';
import { registryAccess } from './registry-access.ts';
import { clonePath, copyRootFolder, makeRootFolder } from './root-folder.ts';

const projectRoot = fileURLToPath(new URL('../..', import.meta.url));
const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const shortTimeoutMs = 30_000;
/** Docker's images have many small files. */
const removeTimeoutMs = 600_000;

const output = createOutput(processTarget());
const undo = undoStack((name, error) => output.fail(new Error(`${name} failed`, { cause: error })));
const interrupt = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => interrupt.abort());

try {
  process.exitCode = await testBareMachine(process.argv.slice(2), output, undo, interrupt.signal);
} catch (error) {
  if (interrupt.signal.aborted) output.print('interrupted');
  else output.fail(error);
  process.exitCode = 1;
} finally {
  await undo.run();
}

async function testBareMachine(
  testArguments: string[],
  output: Output,
  undo: Undo,
  signal: AbortSignal,
): Promise<number> {
  await ensureTools(output);
  await warnOfUncommitted(output);
  const access = await registryAccess();
  const folder = await mkdtemp('/var/tmp/longshore-bare-');
  undo.add(`removing ${folder}`, () => removeFolder(folder));
  const base = join(folder, 'base');
  const { debian, rest } = releaseIn(testArguments);
  await output.step(`Debian ${debian}, Node 20, npm, git, clone`, () =>
    makeRootFolder(base, { projectRoot, debian, access, signal }),
  );
  const start = await readFile(new URL('start.sh', import.meta.url), 'utf8');
  const commands = [
    { name: 'npm start', script: start, args: [] },
    { name: 'npm test', script: 'npm test -- "$@"', args: rest },
  ];
  const codes: number[] = [];
  for (const { name, script, args } of commands) {
    const root = join(folder, name.replace(' ', '-'));
    await copyRootFolder(base, root, signal);
    output.print(`\n${name}, on a bare machine`);
    const env = { ...access.env, HOME: '/root', PATH: path, TERM: process.env.TERM ?? 'dumb' };
    // bash is process 1 in there and stays: it reaps what loses its parent.
    const command = ['bash', '-c', `${script}\nexit`, name, ...args];
    const code = await output.step(name, () =>
      runInMachine(command, { root, env, directory: clonePath, signal }),
    );
    signal.throwIfAborted();
    codes.push(code);
    await removeFolder(root);
  }
  for (const [index, { name }] of commands.entries()) output.print(`${name}: exit code ${codes[index]}`);
  return codes.every((code) => code === 0) ? 0 : 1;
}

/** The release of Debian that `--debian=RELEASE` names, and the arguments for `npm test`. */
function releaseIn(testArguments: string[]): { debian: string; rest: string[] } {
  const option = '--debian=';
  const named = testArguments.findLast((argument) => argument.startsWith(option));
  const rest = testArguments.filter((argument) => !argument.startsWith(option));
  return { debian: named?.slice(option.length) ?? 'bookworm', rest };
}

async function ensureTools(output: Output): Promise<void> {
  if (process.getuid?.() !== 0) throw new StartError('option', 'A bare machine is made as root: use sudo.');
  const tools = { debootstrap: '--version', slirp4netns: '--version' };
  const missing: string[] = [];
  for (const [name, argument] of Object.entries(tools)) {
    if (!(await canRun(name, [argument]))) missing.push(name);
  }
  if (missing.length === 0) return;
  output.say(`installing ${missing.join(', ')}`);
  await installPackages([...missing, 'debian-archive-keyring'], []);
}

async function warnOfUncommitted(output: Output): Promise<void> {
  const changes = await runCommand('git', ['status', '--porcelain'], {
    timeoutMs: shortTimeoutMs,
    cwd: projectRoot,
  });
  if (changes !== '') output.say('changes that are not committed are not in the clone');
}

/** Nothing but files may be in there: a mount that was left behind is not followed. */
async function removeFolder(folder: string): Promise<void> {
  await runCommand('rm', ['--recursive', '--force', '--one-file-system', folder], {
    timeoutMs: removeTimeoutMs,
  });
}
