/** The plan of `longshore up`, shown before it runs. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Project, Service } from '../../client/client.ts';
import { usageFailure } from '../base/failure.ts';
import { size } from '../base/progress.ts';
import type { FolderList } from '../folder/list-folder.ts';

const run = promisify(execFile);

/** The source of a service. */
export type Source =
  | { kind: 'git'; url: string; branch: string; commit?: string }
  | { kind: 'image'; image: string }
  | { kind: 'folder'; list: FolderList };

export interface Plan {
  /** The existing project and service, or the names of those to create. */
  project: Project | { create: string };
  service: Service | { create: string };
  source: Source;
  /** The former source of the service, if it changes. */
  formerSource?: string;
  /** The database of `--db`. */
  database?: PlannedDatabase;
  /** What the deployment says about its version, if it has no commit of its own. */
  version: Version;
  /** Names of the settings and variables that flags name. */
  settings: readonly string[];
  variables: readonly string[];
  /** The host of the service. `chosen`: the control plane will choose it. Absent: only one host is possible. */
  host?: string | { chosen: true };
}

/** The commit that a folder comes from, and a line about the version. */
export interface Version {
  commitSha?: string;
  commitMessage?: string;
}

/** Limit of the API. */
const messageMax = 300;

/** @param message of `--message`, instead of the commit's @returns nothing for a folder that is not in a git work tree */
export async function versionOfFolder(directory: string, message: string | undefined): Promise<Version> {
  const [commitSha, subject = '', changes] = await Promise.all([
    git(directory, 'rev-parse', '--verify', '--quiet', 'HEAD'),
    git(directory, 'log', '-1', '--format=%s'),
    git(directory, 'status', '--porcelain', '--', '.'),
  ]);
  const commit = changes ? `${subject} (with uncommitted changes)` : subject;
  const line = message ?? (commitSha === undefined ? '' : commit);
  return { ...(commitSha === undefined ? {} : { commitSha }), ...messageOf(line) };
}

/** As one line. */
export const messageOf = (text: string): Version => {
  const line = text
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, messageMax)
    .toWellFormed();
  return line === '' ? {} : { commitMessage: line };
};

export interface PlannedDatabase {
  engine: string;
  service: Service | { create: string };
}

/** Whether a project, a service or a database is created, or a source is replaced. */
export const asksFirst = ({ project, service, database, formerSource }: Plan): boolean =>
  formerSource !== undefined || [project, service, database?.service ?? {}].some((one) => 'create' in one);

/** Whether the folder is in a git repository with a remote. */
export async function hasGitRemote(directory: string): Promise<boolean> {
  return Boolean(await git(directory, 'remote'));
}

/** The output of git in the directory; undefined if git fails or is not installed. */
async function git(directory: string, ...args: string[]): Promise<string | undefined> {
  return run('git', ['-C', directory, ...args]).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  );
}

const remoteTimeoutMs = 5_000;

/** The newest commit of the branch at the git host; undefined if it cannot be asked in time and without a question to the user. */
export async function headOfRemote(
  directory: string,
  { url, branch }: { url: string; branch: string },
): Promise<string | undefined> {
  const env = { ...process.env, GIT_TERMINAL_PROMPT: '0', GIT_SSH_COMMAND: 'ssh -o BatchMode=yes' };
  const args = ['-C', directory, 'ls-remote', '--end-of-options', url, `refs/heads/${branch}`];
  return run('git', args, { env, timeout: remoteTimeoutMs }).then(
    ({ stdout }) => stdout.split('\t')[0] || undefined,
    () => undefined,
  );
}

/**
 * The source of the folder: its git remote and branch.
 * @returns the source, and notes about changes that the deployment will not contain
 * @throws Failure (usage) with the missing thing: a repository, a remote, a branch, a push
 */
export async function sourceOf(directory: string): Promise<{ source: Source; notes: string[] }> {
  const branch = await git(directory, 'symbolic-ref', '--short', 'HEAD');
  if ((await git(directory, 'rev-parse', '--git-dir')) === undefined)
    throw usageFailure('This folder is not in a git repository.');
  if (branch === undefined)
    throw usageFailure('No branch is checked out here. Check one out: git switch BRANCH');
  const remote = (await git(directory, 'config', `branch.${branch}.remote`)) ?? 'origin';
  const url = await git(directory, 'remote', 'get-url', remote);
  if (url === undefined)
    throw usageFailure(
      `This repository has no remote "${remote}". Add it: git remote add ${remote} URL, and push.`,
    );
  const [commit, pushed, changes] = await Promise.all([
    git(directory, 'rev-parse', 'HEAD'),
    git(directory, 'rev-parse', '--verify', '--quiet', `refs/remotes/${remote}/${branch}`),
    git(directory, 'status', '--porcelain'),
  ]);
  if (commit === undefined) throw usageFailure('This repository has no commit yet: git commit, and push.');
  if (pushed === undefined)
    throw usageFailure(
      `The branch ${branch} was never pushed to ${remote}: git push -u ${remote} ${branch}, or send the folder as it is: longshore up --upload`,
    );
  const behind =
    pushed === commit
      ? []
      : [
          `${remote}/${branch} is deployed, and it differs from ${branch} here. To deploy your commits: git push`,
        ];
  const dirty = changes
    ? ['Uncommitted changes are not deployed. To deploy the folder as it is: longshore up --upload']
    : [];
  return {
    source: { kind: 'git', url: reachable(url, remote), branch, commit: pushed },
    notes: [...behind, ...dirty],
  };
}

/** `user@host:path`, as git-fetch(1) describes it: without a slash before the first colon. */
const shortSsh = /^[^/@:]+@[^/@:]+:[^:]/;

/** @throws Failure (usage) for a URL that hosts cannot fetch, and for one with a password, which would be stored in plain text */
function reachable(url: string, remote: string): string {
  if (!/^(https?|ssh):\/\//i.test(url) && !shortSsh.test(url))
    throw usageFailure(
      `The remote ${remote} is ${url}, which only this machine can fetch. Send the folder as it is: longshore up --upload`,
    );
  if (!URL.canParse(url) || !new URL(url).password) return url;
  throw usageFailure(
    'The URL of the remote contains a password, which would be visible in the service. Remove it: git remote set-url, and give the token to the service (gitToken).',
  );
}

function originOf(source: Source): string {
  if (source.kind === 'git') return `${source.url}, branch ${source.branch}`;
  if (source.kind === 'image') return `image ${source.image}`;
  const { entries, bytes } = source.list;
  return `this folder: ${entries.length.toLocaleString('en')} ${entries.length === 1 ? 'file' : 'files'}, ${size(bytes)}`;
}

/** Whether the service is built from an uploaded folder. */
export const isOfFolder = ({ repoUrl }: Pick<Service, 'repoUrl'>) => repoUrl === 'upload';

const databaseLine = ({ engine, service }: PlannedDatabase): string =>
  'create' in service ? `+ database ${service.create} (${engine})` : `  database ${service.slug} (${engine})`;

/** One line per step. */
export function planLines(plan: Plan): string[] {
  const { project, service, source, formerSource, database, settings, variables, host } = plan;
  const from = originOf(source);
  const place =
    host === undefined ? '' : ` on ${typeof host === 'string' ? host : 'a host that Longshore chooses'}`;
  const origin = source.kind === 'folder' ? 'this folder' : from;
  return [
    'create' in project ? `+ project ${project.create}` : `  project ${project.slug}`,
    'create' in service
      ? `+ service ${service.create}${place} from ${origin}`
      : `  service ${service.slug}${place}`,
    ...(formerSource === undefined ? [] : [`~ source: ${formerSource} becomes ${origin}`]),
    ...(database ? [databaseLine(database)] : []),
    ...(settings.length > 0 ? [`~ settings: ${settings.join(', ')}`] : []),
    ...(variables.length > 0 ? [`~ variables: ${variables.join(', ')}`] : []),
    `> deploy ${source.kind === 'git' ? `${source.branch} ${source.commit?.slice(0, 8) ?? ''}`.trim() : from}`,
  ];
}

/**
 * The source that the service has, if it is not the wanted one.
 * @param isNamed whether a flag names the wanted source: without it, another source than that of the folder would be deployed silently
 * @throws Failure (usage) if the source would change and no flag names it
 */
export function formerSourceOf(service: Service, source: Source, isNamed: boolean): string | undefined {
  const has = isOfFolder(service)
    ? 'an uploaded folder'
    : (service.imageRef ?? `${addressOf(service.repoUrl)}#${service.branch}`);
  const [wants, flag] =
    source.kind === 'git'
      ? [`${addressOf(source.url)}#${source.branch}`, `--repo ${source.url} --branch ${source.branch}`]
      : source.kind === 'image'
        ? [source.image, `--image ${source.image}`]
        : ['an uploaded folder', '--upload'];
  if (has === wants) return undefined;
  if (service.repoUrl === 'database')
    throw usageFailure(`${service.slug} is a database. Choose another service with -s.`);
  if (isNamed) return has;
  throw usageFailure(
    `The service ${service.slug} is built from ${has}, not from ${wants}. Choose another service with -s, deploy what it has: longshore deploy ${service.slug}, or change its source: longshore up ${flag}`,
  );
}

/** The fields of a service that specify the source. */
export function sourceFields(source: Source) {
  if (source.kind === 'git') return { repoUrl: source.url, branch: source.branch };
  if (source.kind === 'image') return { repoUrl: 'container-image', imageRef: source.image };
  return { repoUrl: 'upload' };
}

/**
 * Checks that the service is on the wanted host, because a deployment does not move a service.
 * @param target `project/service`
 * @param wanted the wanted host
 * @param hostOf returns a host's name for its id
 * @throws Failure (usage)
 */
export function assertSameHost(
  target: string,
  service: Pick<Service, 'repoUrl' | 'runnerId'>,
  wanted: { id: string; name: string },
  hostOf: (runnerId: string) => string,
): void {
  if (service.runnerId === wanted.id) return;
  const move =
    service.repoUrl === 'database'
      ? 'To move a database, back it up and restore the backup into a new database on that host.'
      : `To move it: longshore settings set runnerId=${wanted.id} -s ${target}, then longshore deploy ${target}. With volumes: longshore volumes move ${wanted.name} -s ${target}`;
  throw usageFailure(
    `The service ${target} is on the host ${hostOf(service.runnerId)}, not on ${wanted.name}. ${move}`,
  );
}

/** `host/path` of a git URL in any of its forms, so that ssh and https of one repository are equal. */
export function addressOf(url: string): string {
  const scp = /^(?:[^@/]+@)?([^:/]+):(?!\/\/)(.+)$/.exec(url);
  const [host, path] = scp
    ? [scp[1], scp[2]]
    : URL.canParse(url)
      ? [new URL(url).host, new URL(url).pathname]
      : ['', url];
  return `${host}/${(path ?? '').replace(/^\/+|\/+$|\.git\/*$/g, '')}`.toLowerCase();
}
