/**
 * Commands that an explanation suggests: calls of this API by curl or by the command line, and commands for the user's own machine.
 * Text from a log is quoted as a shell word: a build can print anything, and the user may paste it into a shell.
 */
import { gitHostOf } from '../../../../protocol/credentials.ts';
import type { Failure } from './failure.ts';
import { filesThere } from './files-there.ts';
import { isUpload } from './source-words.ts';

/** The key is a shell variable of the reader, so no token is printed. */
const authorization = '-H "Authorization: Bearer $KEY"';
const jsonType = "-H 'content-type: application/json'";

/** Changes settings of the service. */
export function patchService(failure: Failure, fields: Readonly<Record<string, unknown>>): string {
  const values = Object.entries(fields);
  // The command line has a form of its own for words in a list and for settings of engines.
  if (failure.tool !== 'longshore' || values.some(([, value]) => typeof value === 'object' && value !== null))
    return call(failure, 'PATCH', routeOf(failure), fields);
  const set = `longshore settings set -s ${failure.serviceName}`;
  // From stdin, so that the token does not stay in the history of the shell.
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

/** A new container of the same image with the settings and variables of now, without a build. */
export const restart = (failure: Failure): string =>
  failure.tool === 'longshore'
    ? `longshore restart ${failure.serviceName} --wait`
    : call(failure, 'POST', routeOf(failure, '/restart'));

/** Sends the folder of an uploaded service again and deploys it. */
export const sendFolder = 'longshore up';

export const runAgain = (failure: Failure, command: string): string =>
  failure.tool === 'longshore'
    ? `longshore run -s ${failure.serviceName} -- sh -c ${shellWord(command)}`
    : call(failure, 'POST', routeOf(failure, '/run'), { command });

/** Brings changed files to the service: through git, or with the folder. */
export function publish(failure: Failure, files: string[], message: string): string[] {
  if (isUpload(failure)) return [sendFolder];
  return [`git add ${files.join(' ')}`, `git commit -m "${message}"`, 'git push', deployAgain(failure)];
}

/**
 * Finds lines in the files of the source.
 * @param pattern extended regular expression, a shell word
 * @param files glob of their names; absent: all
 */
export function searchFiles(failure: Failure, pattern: string, files?: string): string {
  if (!isUpload(failure)) return `git grep -nE ${pattern}${files ? ` -- '${files}'` : ''}`;
  return `grep -rnE ${pattern} ${files ? `--include='${files}' ` : ''}--exclude-dir=node_modules .`;
}

/** Lists the files of the source with such a name. @param name glob */
export const findFiles = (failure: Failure, name: string): string =>
  isUpload(failure)
    ? `find . -name ${shellWord(name)} -not -path '*/node_modules/*'`
    : `git ls-files ${shellWord(`*${name}`.replace('**', '*'))}`;

/** Shows what is on the user's machine and not in the source. */
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

/** Shows the service with its variables and warnings. */
export const showService = (failure: Failure): string => call(failure, 'GET', routeOf(failure, '/overview'));

/** Lists references that other services of the project offer. */
export const showSuggestions = (failure: Failure): string =>
  call(failure, 'GET', routeOf(failure, '/suggestion-keys'));

/** Sets DATABASE_URL to a reference to a database of the project. */
export const referToDatabase = (failure: Failure): string =>
  setVariable(failure, 'DATABASE_URL', `\${<database service>.DATABASE_URL}`);

export function readLog(failure: Failure): string {
  const { what, serviceName, tool } = failure;
  if (what.kind === 'crash') {
    if (tool === 'longshore') return `longshore logs ${serviceName} --runtime`;
    // The stream goes on: without a buffer its lines are seen as they come.
    return call(failure, 'GET', routeOf(failure, '/runtime-logs/stream')).replace('curl -s', 'curl -sN');
  }
  if (what.kind === 'run') return call(failure, 'GET', routeOf(failure, `/runs/${what.id}/logs`));
  return tool === 'longshore'
    ? `longshore logs ${serviceName} --deployment ${what.id}`
    : call(failure, 'GET', `/api/deployments/${what.id}/logs`);
}

/** Commands about the runner's systemd unit; for the own host of a local instance, the one command that stands for them. */
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
