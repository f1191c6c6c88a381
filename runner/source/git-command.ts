/** Runs git with an environment of our own: no user's or system's configuration, no prompts, no hooks, few protocols. */
import { spawn } from 'node:child_process';
import type { RepositoryUrl } from './repository-url.ts';

export interface GitCommand {
  args: readonly string[];
  cwd: string;
  env: Record<string, string>;
  /** Every line of stderr, progress included. */
  onLine: (line: string) => void;
  /** Takes stdout instead of the outcome, for lists of any length. */
  onOutput?: (text: string) => void;
  signal: AbortSignal;
}

export interface GitOutcome {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

/** What is kept of git's words: the reason of a failure is at the end. */
const keptOutputBytes = 16 * 1024;
/** A repository that sends nothing for this long is given up by curl itself. */
const stalledSeconds = 60;

/**
 * Runs git to its end. On abort its whole process group is killed: helpers like git-remote-https too.
 * @throws the signal's reason; or what the operating system says when git is not there
 */
export function runGit(command: GitCommand): Promise<GitOutcome> {
  const { args, cwd, env, onLine, onOutput, signal } = command;
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const child = spawn('git', args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    let open = '';
    const kill = () => killGroup(child.pid);
    signal.addEventListener('abort', kill, { once: true });
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (onOutput) return onOutput(text);
      stdout = (stdout + text).slice(-keptOutputBytes);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-keptOutputBytes);
      const lines = (open + text).split(/[\r\n]+/);
      open = lines.pop() ?? '';
      lines.filter((line) => line.trim()).forEach(onLine);
    });
    child.once('error', reject);
    child.once('close', (exitCode) => {
      signal.removeEventListener('abort', kill);
      if (open.trim()) onLine(open);
      if (signal.aborted) reject(signal.reason);
      else resolve({ exitCode, stdout, stderr });
    });
  });
}

/** The environment of every git command. @param home an empty directory: no .netrc, no .gitconfig */
export function gitEnvironment(
  home: string,
  protocol: RepositoryUrl['protocol'],
  token: { username: string; value: string } | null,
): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: home,
    LC_ALL: 'C', // failures are recognised by their English words
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ALLOW_PROTOCOL: protocol,
    GIT_LFS_SKIP_SMUDGE: '1',
    ...passedOn(['SSL_CERT_FILE', 'SSL_CERT_DIR', 'GIT_SSL_CAINFO']),
    ...(token
      ? {
          GIT_ASKPASS: new URL('./git-askpass.sh', import.meta.url).pathname,
          LONGSHORE_GIT_USERNAME: token.username,
          LONGSHORE_GIT_TOKEN: token.value,
        }
      : {}),
  };
}

/**
 * Settings of the one command that talks to the network: it connects to the checked address and follows nobody elsewhere.
 * Redirects are refused whole, also the first: their target would be resolved by curl, past the check.
 */
export function networkSettings(
  repository: RepositoryUrl,
  address: string,
  sshCommand: string | null,
): Record<string, string> {
  const curlAddress = address.includes(':') ? `[${address}]` : address;
  return {
    'http.curloptResolve': `${repository.host}:${repository.port}:${curlAddress}`,
    'http.followRedirects': 'false',
    'http.lowSpeedLimit': '1',
    'http.lowSpeedTime': String(stalledSeconds),
    ...(sshCommand === null ? {} : { 'core.sshCommand': sshCommand }),
  };
}

function passedOn(names: string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
