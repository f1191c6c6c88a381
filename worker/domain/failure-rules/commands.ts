/**
 * Commands that an explanation offers: curl calls of this API with the ids at hand, and commands for the user's own machine.
 * What comes from a log is quoted: a build can print anything, and the user may paste it into a shell.
 */
import type { Failure } from './failure.ts';

/** The key is the reader's own variable: no token is ever printed. */
const authorization = '-H "Authorization: Bearer $KEY"';
const jsonType = "-H 'content-type: application/json'";

/** Changes settings of the service. */
export const patchService = (failure: Failure, fields: Readonly<Record<string, unknown>>): string =>
  send('PATCH', failure, `/api/services/${failure.service.id}`, fields);

/** Sets a variable; a value that only the user knows is a `<placeholder>`. */
export const setVariable = (failure: Failure, key: string, value = '<value>'): string =>
  send('POST', failure, `/api/services/${failure.service.id}/env`, { key, value });

export const deployAgain = (failure: Failure): string =>
  `curl -s -X POST ${authorization} ${failure.apiUrl}/api/services/${failure.service.id}/deployments`;

/** Makes a deploy key; the answer is its public part. */
export const makeDeployKey = (failure: Failure): string =>
  `curl -s -X POST ${authorization} ${failure.apiUrl}/api/services/${failure.service.id}/deploy-key`;

export const showDeployKey = (failure: Failure): string =>
  `curl -s ${authorization} ${failure.apiUrl}/api/services/${failure.service.id}/deploy-key`;

/** The service with its variables and their warnings. */
export const showService = (failure: Failure): string =>
  `curl -s ${authorization} ${failure.apiUrl}/api/services/${failure.service.id}/overview`;

/** What other services of the project offer as references. */
export const showSuggestions = (failure: Failure): string =>
  `curl -s ${authorization} ${failure.apiUrl}/api/services/${failure.service.id}/suggestion-keys`;

/** Lets a variable follow a database of the project. */
export const referToDatabase = (failure: Failure): string =>
  setVariable(failure, 'DATABASE_URL', `\${<database service>.DATABASE_URL}`);

export const readLog = (failure: Failure): string =>
  `curl -s ${authorization} ${failure.apiUrl}/api/deployments/${failure.deploymentId}/logs`;

/** One word of a shell command. POSIX.1-2017, Shell Command Language, 2.2.2: nothing is special between single quotes. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function send(method: string, failure: Failure, path: string, body: unknown): string {
  const data = shellWord(JSON.stringify(body));
  return `curl -s -X ${method} ${authorization} ${jsonType} -d ${data} ${failure.apiUrl}${path}`;
}
