/** A real sshd on loopback that serves git repositories to one key: a separate process for the test, with its own directory. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../free-ports.ts';
import { sshdProgram } from './sshd-program.ts';

export interface SshServer {
  /** `ssh://<user>@127.0.0.1:<port><root>`; a repository is `<url>/<name>`. */
  url: string;
  port: number;
  /** The output of sshd. */
  said(): string;
  close(): Promise<void>;
}

/** Creates a key pair without a passphrase. */
export function makeKey(path: string): { privateKey: string; publicKey: string } {
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'test', '-f', path]);
  return {
    privateKey: readFileSync(path, 'utf8'),
    publicKey: readFileSync(`${path}.pub`, 'utf8').trim(),
  };
}

export interface SshServerOptions {
  /** Directory of the repositories and the server's own files. */
  root: string;
  /** A line of authorized_keys. */
  publicKey: string;
  port?: number;
  /** File of the host key; created if it is missing. */
  hostKey?: string;
}

/** Serves the repositories below `root` by git-shell. */
export async function serveSsh({ root, publicKey, ...more }: SshServerOptions): Promise<SshServer> {
  const directory = join(root, '.sshd');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const program = await sshdProgram(directory);
  const hostKey = more.hostKey ?? join(directory, 'host-key');
  if (!existsSync(hostKey)) makeKey(hostKey);
  const [free = 0] = await freePorts(1);
  const port = more.port ?? free;
  const keys = join(directory, 'authorized_keys');
  writeFileSync(keys, `${publicKey}\n`, { mode: 0o600 });
  const config = join(directory, 'config');
  const settings = {
    Port: String(port),
    ListenAddress: '127.0.0.1',
    HostKey: hostKey,
    AuthorizedKeysFile: keys,
    PidFile: 'none',
    UsePAM: 'no',
    StrictModes: 'no',
    PasswordAuthentication: 'no',
    PermitRootLogin: 'prohibit-password',
    ForceCommand: 'git shell -c "$SSH_ORIGINAL_COMMAND"',
    ...program.settings,
  };
  writeFileSync(
    config,
    Object.entries(settings)
      .map(([name, value]) => `${name} ${value}\n`)
      .join(''),
  );
  // As root, sshd needs its empty directory, which the package's service creates.
  if (userInfo().uid === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  const child = spawn(program.path, ['-D', '-e', '-f', config], {
    env: { ...process.env, ...program.env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => reject(new Error(`sshd has ended: ${said}`)));
    child.stderr.on('data', (data) => {
      said += String(data);
      if (said.includes('Server listening')) resolve();
    });
  });
  return {
    url: `ssh://${userInfo().username}@127.0.0.1:${port}${root}`,
    port,
    said: () => said,
    close: () => {
      child.kill('SIGKILL');
      return ended;
    },
  };
}
