/**
 * Commands that an explanation suggests: curl calls to this API with the ids filled in, and commands for the user's own machine.
 * Text from a log is quoted as a shell word: a build can print anything, and the user may paste it into a shell.
 */
import { gitHostOf } from '../../../protocol/credentials.ts';
import type { Failure } from './failure.ts';
import { isUpload } from './source-words.ts';

/** The key is a shell variable of the reader, so no token is printed. */
const authorization = '-H "Authorization: Bearer $KEY"';
const jsonType = "-H 'content-type: application/json'";

/** Changes settings of the service. */
export const patchService = (failure: Failure, fields: Readonly<Record<string, unknown>>): string =>
  send('PATCH', failure, `/api/services/${failure.service.id}`, fields);

/** Sets a variable. The default value is a `<placeholder>` for the user to fill in. */
export const setVariable = (failure: Failure, key: string, value = '<value>'): string =>
  send('POST', failure, `/api/services/${failure.service.id}/env`, { key, value });

export const deployAgain = (failure: Failure): string => postTo(failure, 'deployments');

/** A new container of the same image with the settings and variables of now, without a build. */
export const restart = (failure: Failure): string => postTo(failure, 'restart');

/** Sends the folder of an uploaded service again and deploys it. */
export const sendFolder = 'longshore up';

export const runAgain = (failure: Failure, command: string): string =>
  send('POST', failure, `/api/services/${failure.service.id}/run`, { command });

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
export const showIgnored = (failure: Failure): string =>
  isUpload(failure)
    ? 'cat .gitignore .dockerignore .longshoreignore 2>/dev/null'
    : 'git status --ignored --short';

/** Creates a deploy key and prints its public part. */
export const makeDeployKey = (failure: Failure): string =>
  `curl -s -X POST ${authorization} ${failure.apiUrl}/api/services/${failure.service.id}/deploy-key`;

export const showDeployKey = (failure: Failure): string =>
  `curl -s ${authorization} ${failure.apiUrl}/api/services/${failure.service.id}/deploy-key`;

/** Stores a credential for the git host of the service's repository. */
export const storeGitCredential = (failure: Failure): string =>
  send('POST', failure, '/api/git-credentials', {
    host: gitHostOf(failure.service.repoUrl) ?? '<git host>',
    token: '<token>',
  });

export const patchGitCredential = (failure: Failure, id: string): string =>
  send('PATCH', failure, `/api/git-credentials/${id}`, { token: '<token>' });

/** Shows the service with its variables and warnings. */
export const showService = (failure: Failure): string =>
  `curl -s ${authorization} ${failure.apiUrl}/api/services/${failure.service.id}/overview`;

/** Lists references that other services of the project offer. */
export const showSuggestions = (failure: Failure): string =>
  `curl -s ${authorization} ${failure.apiUrl}/api/services/${failure.service.id}/suggestion-keys`;

/** Sets DATABASE_URL to a reference to a database of the project. */
export const referToDatabase = (failure: Failure): string =>
  setVariable(failure, 'DATABASE_URL', `\${<database service>.DATABASE_URL}`);

export function readLog(failure: Failure): string {
  const { what, service, apiUrl } = failure;
  const ofService = `${apiUrl}/api/services/${service.id}`;
  if (what.kind === 'crash') return `curl -sN ${authorization} ${ofService}/runtime-logs/stream`;
  if (what.kind === 'run') return `curl -s ${authorization} ${ofService}/runs/${what.id}/logs`;
  return `curl -s ${authorization} ${apiUrl}/api/deployments/${what.id}/logs`;
}

/** Commands about the runner's systemd unit; on a local instance, the one command that stands for them. */
export const runnerCommands = (failure: Failure, units: string[]): string[] =>
  isLoopback(failure.apiUrl) ? ['npm start'] : units;

const isLoopback = (url: string) =>
  /^https?:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?(\/|$)/.test(url);

/** Quotes one word of a shell command. POSIX.1-2017, Shell Command Language, 2.2.2: between single quotes nothing is special. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

const postTo = ({ apiUrl, service }: Failure, action: string) =>
  `curl -s -X POST ${authorization} ${apiUrl}/api/services/${service.id}/${action}`;

function send(method: string, failure: Failure, path: string, body: unknown): string {
  const data = shellWord(JSON.stringify(body));
  return `curl -s -X ${method} ${authorization} ${jsonType} -d ${data} ${failure.apiUrl}${path}`;
}
