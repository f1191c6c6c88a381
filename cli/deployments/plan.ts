/** What `longshore up` will do, before it does it. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Project, Service } from '../../client/client.ts';
import { usageFailure } from '../base/failure.ts';
import { size } from '../base/progress.ts';
import type { FolderList } from '../folder/list-folder.ts';

const run = promisify(execFile);

/** Where the source of a service comes from. */
export type Source =
  | { kind: 'git'; url: string; branch: string; commit?: string }
  | { kind: 'image'; image: string }
  | { kind: 'folder'; list: FolderList };

export interface Plan {
  /** The existing ones, or the names of what is created. */
  project: Project | { create: string };
  service: Service | { create: string; source: Source };
  source: Source;
  /** Where the service is, or is created; `chosen`: the control plane chooses. Absent: only one host is possible. */
  host?: string | { chosen: true };
}

/** Whether git could give the source of the folder: it is in a repository with a remote. */
export async function hasGitRemote(directory: string): Promise<boolean> {
  return Boolean(await git(directory, 'remote'));
}

/** The answer of git in the directory, or undefined when it refuses or is not installed. */
async function git(directory: string, ...args: string[]): Promise<string | undefined> {
  return run('git', ['-C', directory, ...args]).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  );
}

/**
 * The source of the folder: its git remote and branch.
 * @returns the source, and what the person should know: changes that the deployment will not contain
 * @throws Failure (usage) that says what is missing: a repository, a remote, a branch, a push
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
    source: { kind: 'git', url: withoutSecret(url), branch, commit: pushed },
    notes: [...behind, ...dirty],
  };
}

/** @throws Failure (usage) for a URL that carries a password: it would be stored in plain text */
function withoutSecret(url: string): string {
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

/** Whether the service is built from a folder that is sent to it. */
export const isOfFolder = ({ repoUrl }: Pick<Service, 'repoUrl'>) => repoUrl === 'upload';

/** One line per step. */
export function planLines({ project, service, source, host }: Plan): string[] {
  const from = originOf(source);
  const place =
    host === undefined ? '' : ` on ${typeof host === 'string' ? host : 'a host that Longshore chooses'}`;
  const origin = source.kind === 'folder' ? 'this folder' : from;
  return [
    'create' in project ? `+ project ${project.create}` : `  project ${project.slug}`,
    'create' in service
      ? `+ service ${service.create}${place} from ${origin}`
      : `  service ${service.slug}${place}`,
    `> deploy ${source.kind === 'git' ? `${source.branch} ${source.commit?.slice(0, 8) ?? ''}`.trim() : from}`,
  ];
}

/**
 * The service must have the source of the folder: another one would be deployed in silence.
 * @throws Failure (usage)
 */
export function assertSameSource(service: Service, source: Source): void {
  const has = isOfFolder(service)
    ? 'an uploaded folder'
    : (service.imageRef ?? `${addressOf(service.repoUrl)}#${service.branch}`);
  const wants =
    source.kind === 'git'
      ? `${addressOf(source.url)}#${source.branch}`
      : source.kind === 'image'
        ? source.image
        : 'an uploaded folder';
  if (has === wants) return;
  throw usageFailure(
    `The service ${service.slug} is built from ${has}, not from ${wants}. Choose another service with -s, change the service, or deploy what it has: longshore deploy ${service.slug}`,
  );
}

/**
 * A deployment does not move a service by the way.
 * @param target `project/service` @param wanted where it should be @param hostOf names the host of an id
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
      ? 'A database moves by a backup that is restored into a new one there.'
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
