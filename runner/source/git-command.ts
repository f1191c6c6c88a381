/** Runs git in a clean environment: no user or system configuration, no prompts, no hooks, few protocols. */
import { fileURLToPath } from 'node:url';
import type { GitLogin } from './git-login.ts';
import type { RepositoryUrl } from './repository-url.ts';
import { type Command, type Outcome, runProgram } from './run-program.ts';

/** The time without any data after which curl closes the connection. */
const stalledSeconds = 60;

/**
 * The largest piece of memory that git may request. It runs on the host, outside the limits of builds: a pack of 16 KB can describe a file
 * of 3 GB as a difference to a small one, and git builds such a file in memory. GitHub and GitLab.com refuse files above 100 MB.
 */
const allocationBytesMax = 256 * 1024 * 1024;

/** Runs git to its end. @throws the errors of `runProgram` */
export const runGit = (command: Command): Promise<Outcome> => runProgram('git', command);

/** The environment of every git command. @param home an empty directory, so without .netrc and .gitconfig */
export function gitEnvironment(home: string, protocol: RepositoryUrl['protocol']): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: home,
    LC_ALL: 'C', // failures are recognised by their English messages
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ALLOW_PROTOCOL: protocol,
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_ALLOC_LIMIT: String(allocationBytesMax),
    ...passedOn(['SSL_CERT_FILE', 'SSL_CERT_DIR', 'GIT_SSL_CAINFO']),
  };
}

/** The login, for the only command that uses the network. Git asks for it only when the server requires one. */
export function loginEnvironment(login: GitLogin, repository: RepositoryUrl): Record<string, string> {
  return {
    GIT_ASKPASS: fileURLToPath(new URL('./git-askpass.sh', import.meta.url)),
    LONGSHORE_GIT_HOST: new URL(repository.url).host,
    LONGSHORE_GIT_USERNAME: login.username,
    LONGSHORE_GIT_TOKEN: login.password,
  };
}

/**
 * Settings of the only command that uses the network: it connects to the checked address and nowhere else.
 * All redirects are refused, even the first: curl would resolve their target without the check.
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
