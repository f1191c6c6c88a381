/**
 * Lets containers live on while Docker restarts (`live-restore`). Without it, each restart or upgrade of Docker stops all apps. The setting
 * is added to Docker's own file, and nothing else in it changes. https://docs.docker.com/engine/daemon/live-restore/
 */
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { replaceFile } from '../../runner/base/replace-file.ts';
import { connectDocker, type DockerEngine } from '../docker/engine.ts';
import { processesNamed } from '../instance/process-identity.ts';
import { runCommand } from './command.ts';

export interface EnsureLiveRestoreOptions {
  settingsFile: string;
  /** Prints the action, or the reason against it. */
  say: (line: string) => void;
  docker?: Pick<DockerEngine, 'info'>;
  /** Makes Docker read its settings again; replaced by tests. */
  reload?: () => Promise<unknown>;
  /** Arguments of the running dockerd; replaced by tests. */
  daemonArguments?: () => Promise<string[]>;
}

const reloadTimeoutMs = 60_000;

interface Info {
  LiveRestoreEnabled?: boolean;
  Swarm?: { LocalNodeState?: string };
}

/** Never fails: a host works without the setting, which is reported. */
export async function ensureLiveRestore(options: EnsureLiveRestoreOptions): Promise<void> {
  const { say, docker = connectDocker() } = options;
  try {
    const info = (await docker.info()) as Info;
    if (info.LiveRestoreEnabled) return;
    const obstacle = await obstacleOf(options, info);
    if (obstacle === undefined) {
      await (options.reload ?? reloadDocker)();
      if (((await docker.info()) as Info).LiveRestoreEnabled) {
        say('live-restore is on: containers keep running while Docker restarts');
        return;
      }
    }
    say(
      `live-restore is off (${obstacle ?? 'Docker did not take the setting'}): apps stop while Docker restarts (docs/operate/docker.md)`,
    );
  } catch (error) {
    say(`live-restore could not be switched on: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Writes the setting. @returns the reason if it was not written */
async function obstacleOf(
  { settingsFile, daemonArguments = argumentsOfDockerd }: EnsureLiveRestoreOptions,
  { Swarm }: Info,
): Promise<string | undefined> {
  if (![undefined, 'inactive'].includes(Swarm?.LocalNodeState)) return 'Docker does not allow it in a swarm';
  const args = await daemonArguments();
  // Docker refuses to start when a setting is in the file and among its arguments.
  if (args.some((one) => one.startsWith('--live-restore'))) return 'an argument of dockerd says so';
  if (args.some((one) => one.startsWith('--config-file')))
    return 'Docker reads another file than daemon.json';
  if (!existsSync(settingsFile)) {
    replaceFile(settingsFile, `${JSON.stringify({ 'live-restore': true }, null, 2)}\n`, 0o644);
    return undefined;
  }
  const settings = parsed(readFileSync(settingsFile, 'utf8'));
  if (settings === undefined) return `${settingsFile} is not a JSON object`;
  if ('live-restore' in settings) return `${settingsFile} says so`;
  replaceFile(settingsFile, `${JSON.stringify({ ...settings, 'live-restore': true }, null, 2)}\n`, 0o644);
  return undefined;
}

function parsed(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

async function argumentsOfDockerd(): Promise<string[]> {
  const [dockerd] = processesNamed('dockerd');
  if (dockerd === undefined) return [];
  return (await readFile(`/proc/${dockerd.pid}/cmdline`, 'utf8')).split('\0');
}

/** SIGHUP makes dockerd read this setting again without a restart. */
const reloadDocker = () => runCommand('systemctl', ['reload', 'docker'], { timeoutMs: reloadTimeoutMs });
