/**
 * Commands that an explanation suggests: calls of this API by curl or by the command line, and commands for the user's own machine.
 * Text from a log is quoted as a shell word, because a build can print anything and the user may paste it into a shell.
 */
import { gitHostOf } from '../../../../protocol/credentials.ts';
import type { FailedCommand, Failure } from './failure.ts';
import { filesThere } from './files-there.ts';
import { isUpload } from './source-words.ts';

/** The key is a variable of the reader's shell, so no token is printed. */
const authorization = '-H "Authorization: Bearer $KEY"';
const jsonType = "-H 'content-type: application/json'";

export function patchService(failure: Failure, fields: Readonly<Record<string, unknown>>): string {
  const values = Object.entries(fields);
  // The command line has a different form for lists of words and for engine settings.
  if (failure.tool !== 'longshore' || values.some(([, value]) => typeof value === 'object' && value !== null))
    return call(failure, 'PATCH', routeOf(failure), fields);
  const set = `longshore settings set -s ${failure.serviceName}`;
  // The token is read from stdin, so that it is not stored in the shell's history.
  if (values.length === 1 && 'gitToken' in fields) return `${set} gitToken --stdin`;
  const words = values.map(([name, value]) => shellWord(`${name}=${value ?? ''}`));
  return `${set} ${words.join(' ')}`;
}

/** Sets a variable. The default value is a `<placeholder>` for the user to fill in. */
export const setVariable = (failure: Failure, key: string, value = '<value>'): string =>
  failure.tool === 'longshore'
    ? `longshore env set -s ${failure.serviceName} ${shellWord(`${key}=${value}`)}`
    : call(failure, 'POST', routeOf(failure, '/env'), { key, value });

/** Whether the command changes settings or variables of the service. */
export function isSettingsChange(failure: Failure, command: string): boolean {
  const { tool, serviceName, apiUrl } = failure;
  const path = routeOf(failure);
  return tool === 'longshore'
    ? ['env set', 'settings set'].some((one) => command.startsWith(`longshore ${one} -s ${serviceName} `)) ||
        command.startsWith(`longshore api PATCH ${path} `)
    : command.endsWith(`${apiUrl}${path}`) || command.endsWith(`${apiUrl}${path}/env`);
}

export const deployAgain = (failure: Failure): string =>
  failure.tool === 'longshore'
    ? `longshore deploy ${failure.serviceName} --wait`
    : call(failure, 'POST', routeOf(failure, '/deployments'));

/** A new container of the same image with current settings and variables, without a build. */
export const restart = (failure: Failure): string =>
  failure.tool === 'longshore'
    ? `longshore restart ${failure.serviceName} --wait`
    : call(failure, 'POST', routeOf(failure, '/restart'));

/** Uploads the service's folder again and deploys it. */
export const sendFolder = 'longshore up';

export function runAgain(failure: Failure, { command, container }: FailedCommand): string {
  const isLive = container === 'live';
  return failure.tool === 'longshore'
    ? `longshore run -s ${failure.serviceName}${isLive ? ' --live' : ''} -- sh -c ${shellWord(command)}`
    : call(failure, 'POST', routeOf(failure, '/run'), { command, ...(isLive ? { container } : {}) });
}

/** Publishes changed files to the service: through git, or with the folder. */
export function publish(failure: Failure, files: string[], message: string): string[] {
  if (isUpload(failure)) return [sendFolder];
  return [`git add ${files.join(' ')}`, `git commit -m "${message}"`, 'git push', deployAgain(failure)];
}

/**
 * Finds lines in the files of the source.
 * @param pattern extended regular expression, a shell word
 * @param files glob of file names; if absent, all files
 */
export function searchFiles(failure: Failure, pattern: string, files?: string): string {
  if (!isUpload(failure)) return `git grep -nE ${pattern}${files ? ` -- '${files}'` : ''}`;
  return `grep -rnE ${pattern} ${files ? `--include='${files}' ` : ''}--exclude-dir=node_modules .`;
}

/** Lists the files of the source whose name matches. @param name glob */
export const findFiles = (failure: Failure, name: string): string =>
  isUpload(failure)
    ? `find . -name ${shellWord(name)} -not -path '*/node_modules/*'`
    : `git ls-files ${shellWord(`*${name}`.replace('**', '*'))}`;

/** Shows files of the user's machine that are not in the source. */
export function showIgnored(failure: Failure): string {
  if (!isUpload(failure)) return 'git status --ignored --short';
  const files = [...filesThere(failure, ['.gitignore', '.dockerignore']), '.longshoreignore'];
  return `cat ${files.join(' ')} 2>/dev/null`;
}

/** Creates a deploy key and prints its public part. */
export const makeDeployKey = (failure: Failure): string =>
  call(failure, 'POST', routeOf(failure, '/deploy-key'));

export const showDeployKey = (failure: Failure): string =>
  call(failure, 'GET', routeOf(failure, '/deploy-key'));

/** Stores a credential for the git host of the service's repository. */
export const storeGitCredential = (failure: Failure): string =>
  call(failure, 'POST', '/api/git-credentials', {
    host: gitHostOf(failure.service.repoUrl) ?? '<git host>',
    token: '<token>',
  });

export const patchGitCredential = (failure: Failure, id: string): string =>
  call(failure, 'PATCH', `/api/git-credentials/${id}`, { token: '<token>' });

/** Stores a login for a registry of container images. */
export const storeRegistryLogin = (failure: Failure): string =>
  failure.tool === 'longshore'
    ? "longshore registries login '<registry>' '<user>'"
    : call(failure, 'POST', '/api/registries', {
        host: '<registry>',
        username: '<user>',
        password: '<token>',
      });

/** Shows the service's variables. By curl also its settings and warnings. */
export const showService = (failure: Failure): string =>
  failure.tool === 'longshore'
    ? `longshore env list -s ${failure.serviceName}`
    : call(failure, 'GET', routeOf(failure, '/overview'));

/** Lists what the service may refer to: the services of its project. By curl also references to their variables. */
export const showSuggestions = (failure: Failure): string =>
  failure.tool === 'longshore'
    ? `longshore ps -p ${failure.serviceName.split('/')[0]}`
    : call(failure, 'GET', routeOf(failure, '/suggestion-keys'));

/** Sets DATABASE_URL to a reference to a database of the project. */
export const referToDatabase = (failure: Failure): string =>
  setVariable(failure, 'DATABASE_URL', `\${<database service>.DATABASE_URL}`);

export function readLog(failure: Failure): string {
  const { what, serviceName, tool } = failure;
  if (what.kind === 'crash') {
    if (tool === 'longshore') return `longshore logs ${serviceName} --runtime`;
    // The stream does not end: without a buffer its lines appear at once.
    return call(failure, 'GET', routeOf(failure, '/runtime-logs/stream')).replace('curl -s', 'curl -sN');
  }
  if (what.kind === 'run') return call(failure, 'GET', routeOf(failure, `/runs/${what.id}/logs`));
  return tool === 'longshore'
    ? `longshore logs ${serviceName} --deployment ${what.id}`
    : call(failure, 'GET', `/api/deployments/${what.id}/logs`);
}

/** Commands about the runner's systemd unit; for a local instance's own host, the one command that replaces them. */
export const runnerCommands = ({ apiUrl, onInstalledHost }: Failure, units: string[]): string[] =>
  isLoopback(apiUrl) && !onInstalledHost ? ['npm start'] : units;

const isLoopback = (url: string) =>
  /^https?:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?(\/|$)/.test(url);

/** Quotes one word of a shell command. POSIX.1-2017, Shell Command Language, 2.2.2: between single quotes nothing is special. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

const routeOf = ({ service }: Failure, rest = '') => `/api/services/${service.id}${rest}`;

function call({ tool, apiUrl }: Failure, method: string, path: string, body?: unknown): string {
  const data = body === undefined ? [] : [shellWord(JSON.stringify(body))];
  if (tool === 'longshore') return ['longshore api', method, path, ...data].join(' ');
  const verb = method === 'GET' ? [] : [`-X ${method}`];
  const sent = data.flatMap((text) => [jsonType, `-d ${text}`]);
  return ['curl -s', ...verb, authorization, ...sent, `${apiUrl}${path}`].join(' ');
}
