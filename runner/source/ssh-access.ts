/**
 * Configures git's ssh: only with the service's deploy key (no agent, no key and no setting of the runner's user), and with pinned host
 * keys.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { RepositoryUrl } from './repository-url.ts';

export interface SshFiles {
  /** The deploy key; `null` if the service has none. */
  key: string | null;
  /** File of the host keys pinned on this host; kept between deployments. */
  knownHosts: string;
}

/**
 * Host keys that their vendors publish, so that even the first connection is verified.
 * https://docs.github.com/en/authentication/keeping-your-account-and-data-secure/githubs-ssh-key-fingerprints (SHA256:+DiY3wvv...),
 * https://docs.gitlab.com/user/gitlab_com/#ssh-host-keys-fingerprints (SHA256:eUXGGm1Y...),
 * https://support.atlassian.com/bitbucket-cloud/docs/configure-ssh-and-two-step-verification/ (SHA256:ybgmFkzw...)
 */
const published: Readonly<Record<string, string>> = {
  'github.com': 'AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl',
  'gitlab.com': 'AAAAC3NzaC1lZDI1NTE5AAAAIAfuCHKVTjquxvt6CM6tdG4SLp1Btn/nOeHHE5UOzRdf',
  'bitbucket.org': 'AAAAC3NzaC1lZDI1NTE5AAAAIIazEu89wgQZ4bqs3d63QSMzYVa0MuJ2e2gKTKqu+UUO',
};

const connectSeconds = 15;
/** ssh ends the connection after three unanswered keep-alives, like https with `http.lowSpeedTime`. */
const aliveSeconds = 20;

/** True if a service's git token is a private ssh key and not an access token. */
export const isSshKey = (token: string) => token.startsWith('-----BEGIN ');

/** Writes the key to a file, because ssh only reads keys from files. @param directory private to the attempt, removed with it */
export async function writeSshKey(directory: string, key: string): Promise<string> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, 'deploy-key');
  // ssh accepts neither carriage returns nor a missing line end.
  await writeFile(path, `${key.replaceAll('\r', '').trimEnd()}\n`, { mode: 0o600 });
  return path;
}

/**
 * The value of `core.sshCommand`, which a shell reads. A host's key is pinned at its first connection. A host with a pinned key must show
 * exactly that key: `accept-new` alone would accept a key of another type as new.
 */
export async function sshCommand(
  repository: RepositoryUrl,
  address: string,
  files: SshFiles,
): Promise<string> {
  const alias = hostKeyName(repository);
  const isPinned = await pin(files.knownHosts, alias);
  const options = {
    BatchMode: 'yes',
    ConnectTimeout: String(connectSeconds),
    ServerAliveInterval: String(aliveSeconds),
    HostKeyAlias: alias,
    HostName: address,
    StrictHostKeyChecking: isPinned ? 'yes' : 'accept-new',
    UserKnownHostsFile: quoted(files.knownHosts),
    GlobalKnownHostsFile: '/dev/null',
    UpdateHostKeys: 'no',
    IdentityAgent: 'none',
    IdentitiesOnly: 'yes',
    IdentityFile: files.key === null ? 'none' : quoted(files.key),
    PreferredAuthentications: 'publickey',
    ForwardAgent: 'no',
    PermitLocalCommand: 'no',
  };
  const words = Object.entries(options).map(([name, value]) => shellWord(`-o${name}=${value}`));
  return ['ssh', '-F', '/dev/null', ...words].join(' ');
}

/** The name of a host in a file of known hosts: sshd(8), "SSH_KNOWN_HOSTS FILE FORMAT". */
export const hostKeyName = ({ host, port }: RepositoryUrl) => (port === 22 ? host : `[${host}]:${port}`);

/** Adds a published key for this name if the file has none. @returns true if the file has a key */
async function pin(file: string, name: string): Promise<boolean> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  if (text.split('\n').some((line) => line.startsWith(`${name} `))) return true;
  const key = Object.hasOwn(published, name) ? published[name] : undefined;
  // ssh only warns about a missing directory, and pins no key.
  await mkdir(dirname(file), { recursive: true });
  if (key === undefined) return false;
  await writeFile(file, `${name} ssh-ed25519 ${key}\n`, { flag: 'a', mode: 0o600 });
  return true;
}

/** A file name in ssh_config(5): quoted for spaces; "%" starts a token and is doubled. */
const quoted = (path: string) => `"${path.replaceAll('%', '%%')}"`;

/** POSIX.1-2017, Shell Command Language, 2.2.2. */
const shellWord = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
