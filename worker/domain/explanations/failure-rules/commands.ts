/**
 * The steps that an explanation suggests: actions at the platform, and commands for the user's own machine. Actions are written here as calls
 * of this API by curl or by the command line.
 * Text from a log is quoted as a shell word, because a build can print anything and the user may paste it into a shell.
 */
import { gitHostOf } from '../../../../protocol/credentials.ts';
import type { SettingName } from '../../services/settings/service-settings.ts';
import type { ActionOf, ExplanationAction } from '../explanation-actions.ts';
import type { FailedCommand, Failure, Step } from './failure.ts';
import { filesThere } from './files-there.ts';
import { isUpload } from './source-words.ts';

/** The key is a variable of the reader's shell, so no token is printed. */
const authorization = '-H "Authorization: Bearer $KEY"';
const jsonType = "-H 'content-type: application/json'";

export const changeSetting = (
  field: SettingName,
  value: ActionOf<'setting'>['value'],
): ActionOf<'setting'> => ({ kind: 'setting', field, value });

/** @param value parts in angle brackets are for the user to fill in; null: only the user knows it */
export const setVariable = (key: string, value: string | null = null): ActionOf<'set-variable'> => ({
  kind: 'set-variable',
  ...{ key, value },
});

export const deployAgain = { kind: 'deploy' } as const;

/** A new container of the same image with current settings and variables, without a build. */
export const restart = { kind: 'restart' } as const;

/** Uploads the service's folder again and deploys it. */
export const sendFolder = { kind: 'send-folder' } as const;

export const runAgain = ({ command, container = 'new' }: FailedCommand): ActionOf<'run-again'> => ({
  kind: 'run-again',
  ...{ command, container },
});

/** Creates a deploy key and prints its public part. */
export const makeDeployKey = connect('new-deploy-key');
export const showDeployKey = connect('deploy-key');

/** Stores a credential for the git host of the service's repository. */
export const storeGitCredential = ({ service }: Failure) =>
  connect('git-host', { host: gitHostOf(service.repoUrl) ?? null });

export const patchGitCredential = (credentialId: string) => connect('git-host', { credentialId });

/** Stores a login for a registry of container images. */
export const storeRegistryLogin = connect('registry');

function connect(
  to: ActionOf<'connect'>['to'],
  more: Partial<Pick<ActionOf<'connect'>, 'host' | 'credentialId'>> = {},
): ActionOf<'connect'> {
  return { kind: 'connect', to, host: null, credentialId: null, ...more };
}

/** Shows the service's variables. By curl also its settings and warnings. */
export const showService = { kind: 'open-variables' } as const;

/** Lists what the service may refer to: the services of its project. By curl also references to their variables. */
export const showSuggestions = { kind: 'open-project' } as const;

/** Sets DATABASE_URL to a reference to a database of the project. */
export const referToDatabase = setVariable('DATABASE_URL', `\${<database service>.DATABASE_URL}`);

export function readLog({ what }: Failure): ActionOf<'open-logs'> {
  if (what.kind === 'crash') return { kind: 'open-logs', of: 'app', id: null };
  return { kind: 'open-logs', of: what.kind, id: what.id };
}

/** Writes a step as a line of a shell: an action as a call of this API. */
export function commandOf(failure: Failure, step: Step): string {
  if (typeof step === 'string') return step;
  return failure.tool === 'longshore' ? byCommandLine(failure, step) : byCurl(failure, step);
}

function byCommandLine(failure: Failure, action: ExplanationAction): string {
  const { serviceName } = failure;
  switch (action.kind) {
    case 'set-variable':
      return `longshore env set -s ${serviceName} ${shellWord(`${action.key}=${action.value ?? '<value>'}`)}`;
    case 'setting':
      // The token is read from stdin, so that it is not stored in the shell's history.
      return action.field === 'gitToken'
        ? `longshore settings set -s ${serviceName} gitToken --stdin`
        : `longshore settings set -s ${serviceName} ${shellWord(`${action.field}=${action.value ?? ''}`)}`;
    case 'deploy':
      return `longshore deploy ${serviceName} --wait`;
    case 'restart':
      return `longshore restart ${serviceName} --wait`;
    case 'rollback':
      return `longshore rollback ${serviceName} --to ${action.deploymentId} --wait`;
    case 'run-again':
      return `longshore run -s ${serviceName}${action.container === 'live' ? ' --live' : ''} -- sh -c ${shellWord(action.command)}`;
    case 'open-logs':
      if (action.of === 'app') return `longshore logs ${serviceName} --runtime`;
      return action.of === 'run'
        ? byCurl(failure, action)
        : `longshore logs ${serviceName} --deployment ${action.id}`;
    case 'open-variables':
      return `longshore env list -s ${serviceName}`;
    case 'open-project':
      return `longshore ps -p ${serviceName.split('/')[0]}`;
    case 'connect':
      return action.to === 'registry'
        ? "longshore registries login '<registry>' '<user>'"
        : byCurl(failure, action);
    default:
      return byCurl(failure, action);
  }
}

function byCurl(failure: Failure, action: ExplanationAction): string {
  const ofService = (method: string, rest: string, body?: unknown) =>
    call(failure, method, `/api/services/${failure.service.id}${rest}`, body);
  switch (action.kind) {
    case 'set-variable':
      return ofService('POST', '/env', { key: action.key, value: action.value ?? '<value>' });
    case 'setting':
      return ofService('PATCH', '', { [action.field]: action.value });
    case 'deploy':
      return ofService('POST', '/deployments');
    case 'send-folder':
      return 'longshore up';
    case 'restart':
      return ofService('POST', '/restart');
    case 'rollback':
      return call(failure, 'POST', `/api/deployments/${action.deploymentId}/rollback`);
    case 'run-again':
      return ofService('POST', '/run', {
        command: action.command,
        ...(action.container === 'live' ? { container: 'live' } : {}),
      });
    case 'open-logs':
      // The stream does not end: without a buffer its lines appear at once.
      if (action.of === 'app') return ofService('GET', '/runtime-logs/stream').replace('curl -s', 'curl -sN');
      return action.of === 'run'
        ? ofService('GET', `/runs/${action.id}/logs`)
        : call(failure, 'GET', `/api/deployments/${action.id}/logs`);
    case 'open-variables':
      return ofService('GET', '/overview');
    case 'open-project':
      return ofService('GET', '/suggestion-keys');
    case 'connect':
      return connectionCall(failure, action);
  }
}

function connectionCall(failure: Failure, { to, host, credentialId }: ActionOf<'connect'>): string {
  const deployKey = `/api/services/${failure.service.id}/deploy-key`;
  switch (to) {
    case 'new-deploy-key':
      return call(failure, 'POST', deployKey);
    case 'deploy-key':
      return call(failure, 'GET', deployKey);
    case 'registry':
      return call(failure, 'POST', '/api/registries', {
        host: '<registry>',
        username: '<user>',
        password: '<token>',
      });
    case 'git-host':
      return credentialId === null
        ? call(failure, 'POST', '/api/git-credentials', { host: host ?? '<git host>', token: '<token>' })
        : call(failure, 'PATCH', `/api/git-credentials/${credentialId}`, { token: '<token>' });
  }
}

/** Publishes changed files to the service: through git, or with the folder. */
export function publish(failure: Failure, files: string[], message: string): Step[] {
  if (isUpload(failure)) return [sendFolder];
  return [`git add ${files.join(' ')}`, `git commit -m "${message}"`, 'git push', deployAgain];
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

/** Commands about the runner's systemd unit; for a local instance's own host, the one command that replaces them. */
export const runnerCommands = ({ apiUrl, onInstalledHost }: Failure, units: string[]): string[] =>
  isLoopback(apiUrl) && !onInstalledHost ? ['npm start'] : units;

const isLoopback = (url: string) =>
  /^https?:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?(\/|$)/.test(url);

/** Quotes one word of a shell command. POSIX.1-2017, Shell Command Language, 2.2.2: between single quotes nothing is special. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function call({ tool, apiUrl }: Failure, method: string, path: string, body?: unknown): string {
  const data = body === undefined ? [] : [shellWord(JSON.stringify(body))];
  if (tool === 'longshore') return ['longshore api', method, path, ...data].join(' ');
  const verb = method === 'GET' ? [] : [`-X ${method}`];
  const sent = data.flatMap((text) => [jsonType, `-d ${text}`]);
  return ['curl -s', ...verb, authorization, ...sent, `${apiUrl}${path}`].join(' ');
}
