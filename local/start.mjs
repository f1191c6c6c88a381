/**
 * The entry point of all local commands: `node local/start.mjs start|stop|test|setup|cloudflare [options]`.
 * Plain JavaScript for any Node >= 20, without dependencies. It installs the locked dependencies if they are missing or out of date, and
 * continues in main.ts under the project's own Node.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import nodeModule from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const projectRoot = dirname(dirname(fileURLToPath(import.meta.url)));
const projectNode = join(projectRoot, 'node_modules/.bin/node');
const main = join(projectRoot, 'local/main.ts');

if (process.platform !== 'linux')
  fail('Longshore runs on Linux; on other systems use a Linux machine or a container.');
if (!dependenciesInstalled()) installDependencies();
if (!existsSync(projectNode))
  fail(`There is no Node for this processor (${process.arch}) among the dependencies.`);
await goOn();

/** True if the installed packages match package-lock.json; npm keeps a record of the installed ones. */
function dependenciesInstalled() {
  const wanted = readPackages('package-lock.json');
  const installed = readPackages('node_modules/.package-lock.json');
  if (wanted === undefined) fail('package-lock.json is missing or damaged.');
  if (installed === undefined || !existsSync(projectNode)) return false;
  return Object.entries(wanted).every(([path, { version, integrity, optional, devOptional, peer }]) => {
    if (path === '') return true;
    const found = installed[path];
    // Packages for other systems are not installed.
    if (found === undefined) return optional === true || devOptional === true || peer === true;
    return found.version === version && found.integrity === integrity;
  });
}

function readPackages(path) {
  try {
    return JSON.parse(readFileSync(join(projectRoot, path), 'utf8')).packages;
  } catch {
    return undefined;
  }
}

function installDependencies() {
  const from = performance.now();
  console.log('installing the locked dependencies (npm ci)');
  const args = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];
  // npm's stdout is dropped: the stdout of this program is for its own lines.
  const { status, error } = spawnSync('npm', args, {
    cwd: projectRoot,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (error !== undefined) fail(`npm can't be run: ${error.message}.`);
  if (status !== 0)
    fail('The dependencies could not be installed; npm says why above. Try it by hand:\n\n  npm ci\n');
  console.log(`${'dependencies'.padEnd(34)} ${((performance.now() - from) / 1000).toFixed(1).padStart(6)} s`);
}

/**
 * Runs in this process if it already is the project's Node. Otherwise runs in a child process that gets this one's signals, and returns its
 * exit code.
 */
async function goOn() {
  // Keeps compiled code, which makes a warm start a third shorter. The runner and the child below inherit the setting.
  process.env.NODE_COMPILE_CACHE ??= join(projectRoot, 'node_modules/.cache/longshore/compiled');
  if (realpathSync(process.execPath) === realpathSync(projectNode)) {
    nodeModule.enableCompileCache(process.env.NODE_COMPILE_CACHE);
    const { runMain } = await import(pathToFileURL(main).href);
    await runMain(process.argv.slice(2));
    return;
  }
  const child = spawn(projectNode, ['--max-semi-space-size=1', main, ...process.argv.slice(2)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, LONGSHORE_PARENT: 'wrapper' },
  });
  // Ctrl-C reaches the child directly: both are in the terminal's process group.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('error', (error) => fail(`${projectNode} can't be run: ${error.message}.`));
  child.once('exit', (code) => process.exit(code ?? 1));
}

function fail(sentence) {
  console.error(`error: ${sentence}`);
  process.exit(1);
}
