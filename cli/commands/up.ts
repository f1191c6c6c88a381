/** `up`: from the folder to a URL. */
import { basename } from 'node:path';
import { buildCommand } from '@stricli/core';
import type { Project, Service } from '../../client/client.ts';
import { usageFailure } from '../base/failure.ts';
import { confirm } from '../base/prompts.ts';
import { findHost, type Host, hostName, knownHosts } from '../data/hosts.ts';
import { followDeployment } from '../deployments/follow.ts';
import {
  assertSameHost,
  assertSameSource,
  hasGitRemote,
  isOfFolder,
  type Plan,
  planLines,
  type Source,
  sourceOf,
} from '../deployments/plan.ts';
import type { FolderList } from '../folder/list-folder.ts';
import { hostFlag } from '../proposals.ts';
import {
  about,
  type CommandLine,
  openSession,
  type ServiceFlags,
  type Session,
  serviceAliases,
  serviceFlags,
  switchFlag,
  textFlag,
  wholeNumber,
} from '../session.ts';
import { readLink, writeLink } from '../settings/link.ts';
import { nameOf } from './link.ts';
import { timeoutFlag } from './releases.ts';

interface UpFlags extends ServiceFlags {
  yes: boolean;
  detach: boolean;
  image?: string;
  repo?: string;
  branch?: string;
  upload: boolean;
  port?: number;
  host?: string;
  timeout?: number;
}

export const up = buildCommand({
  docs: about(
    'Deploy this folder and follow the log',
    'Shows the plan, creates the project and the service if they are missing, deploys, and follows the log. If the folder has a git remote, the branch is deployed as it was last pushed. If it has none, or with --upload, the files of the folder are sent. These are not sent: .git, node_modules, .env, and the files that .gitignore, .longshoreignore or (beside a Dockerfile) .dockerignore list. --repo and --image deploy another source. Exit codes: 0 the new version serves, 1 it failed, 2 wrong usage, 3 it was aborted, 4 --timeout has passed. Ctrl-C stops waiting; the deployment continues.',
  ),
  parameters: {
    flags: {
      ...serviceFlags,
      yes: switchFlag('Create what is missing without asking'),
      detach: switchFlag('Do not wait: return when the deployment is queued'),
      image: textFlag('Deploy this container image', 'image'),
      repo: textFlag('Build this git repository', 'url'),
      branch: textFlag('Branch of --repo (default: main)', 'branch'),
      upload: switchFlag('Send the files of this folder, even if it has a git remote'),
      port: {
        kind: 'parsed',
        parse: wholeNumber,
        brief: 'Port on which a new service listens',
        optional: true,
        placeholder: 'number',
      },
      host: hostFlag('Host on which the service is created: name or id'),
      timeout: timeoutFlag,
    },
    aliases: { ...serviceAliases, y: 'yes', d: 'detach' },
  },
  async func(this: CommandLine, flags: UpFlags) {
    const session = await openSession(this, flags);
    const { output } = session;
    const directory = this.process.cwd();
    const target = await targetOf(session, flags, directory);
    const { source, notes } = await wantedSource(flags, directory, target.service);
    if (target.service !== undefined) assertSameSource(target.service, source);
    const { host, shown } = await placeOf(session, target, flags.host);
    const plan = { ...planOf(target, source), ...(shown === undefined ? {} : { host: shown }) };
    for (const line of [
      ...planLines(plan),
      ...notes.map((note) => output.style('yellow', `! ${note}`, 'stderr')),
    ])
      output.progress(line);
    if ('create' in plan.service) await confirm(session.streams, 'Create and deploy this?', flags.yes, true);
    const service = await carryOut(session, plan, { port: flags.port, host });
    const uploadId = source.kind === 'folder' ? await sent(session, service, source.list) : undefined;
    const { deployment } = await session.client.call('POST /api/services/:serviceId/deployments', {
      params: { serviceId: service.id },
      ...(uploadId === undefined ? {} : { body: { uploadId } }),
    });
    if (!flags.detach)
      return followDeployment(session, deployment, { process: this.process, timeoutSeconds: flags.timeout });
    output.answer({ deployment }, () => deployment.id);
    output.progress(`To follow it: longshore logs -f --deployment ${deployment.id}`);
  },
});

interface Target {
  project: Project | undefined;
  service: Service | undefined;
  /** What the link says about a new service. */
  linkedHost: string | undefined;
  projectName: string;
  serviceName: string;
}

/** @param service the existing one: where it is built from an uploaded folder, the folder is what is wanted */
async function wantedSource(
  { image, repo, branch, upload }: UpFlags,
  directory: string,
  service: Service | undefined,
): Promise<{ source: Source; notes: string[] }> {
  const named = [image && '--image', repo && '--repo', upload && '--upload'].filter((name) => name);
  if (named.length > 1) throw usageFailure(`Give only one of ${named.join(' and ')}.`);
  if (branch !== undefined && repo === undefined)
    throw usageFailure(
      '--branch works only with --repo. Without --repo, the branch that is checked out here is deployed.',
    );
  if (image !== undefined) return { source: { kind: 'image', image }, notes: [] };
  if (repo !== undefined) return { source: { kind: 'git', url: repo, branch: branch ?? 'main' }, notes: [] };
  const takesFolder = service ? isOfFolder(service) : !(await hasGitRemote(directory));
  if (!upload && !takesFolder) return sourceOf(directory);
  const { listFolder } = await import('../folder/list-folder.ts');
  const list = await listFolder(directory);
  return { source: { kind: 'folder', list }, notes: list.leftOut };
}

/** Loaded only for folders: packing needs more code than all the rest of the command line. */
async function sent(session: Session, { id }: Service, list: FolderList): Promise<string> {
  const { uploadFolder } = await import('../folder/upload-folder.ts');
  return uploadFolder(session, id, list);
}

/** The project and the service that are meant, if they exist. */
async function targetOf(session: Session, flags: UpFlags, directory: string): Promise<Target> {
  const link = await readLink(directory);
  const path = flags.service?.includes('/') ? flags.service.split('/') : undefined;
  const folder = nameOf(basename(directory));
  const projectName = path?.[0] ?? flags.project ?? link?.project ?? folder;
  const serviceName = path?.[1] ?? flags.service ?? link?.service ?? folder;
  const named = (name: string) => (one: { id: string; slug: string; name: string }) =>
    [one.id, one.slug, one.name].includes(name);
  const project = (await session.projects()).find(named(projectName));
  const service = project?.services.find(named(serviceName));
  return { projectName, serviceName, project, service, linkedHost: link?.host };
}

const planOf = ({ project, service, projectName, serviceName }: Target, source: Source): Plan => ({
  project: project ?? { create: projectName },
  service: service ?? { create: serviceName, source },
  source,
});

/**
 * The host on which a new service is created, and what the plan says about the place.
 * @throws Failure (usage) if there is no such host, or the service is on another one
 */
async function placeOf(
  session: Session,
  { service, projectName, serviceName, linkedHost }: Target,
  flag: string | undefined,
): Promise<{ host?: Host; shown?: Plan['host'] }> {
  const wanted = flag ?? (service === undefined ? linkedHost : undefined);
  const host = wanted === undefined ? undefined : await findHost(session, wanted);
  const hosts = await knownHosts(session);
  if (service && host)
    assertSameHost(`${projectName}/${serviceName}`, service, host, (id) => hostName(hosts, id));
  const name = host?.name ?? (service ? hostName(hosts, service.runnerId) : undefined);
  return { ...(host ? { host } : {}), ...(hosts.length > 1 ? { shown: name ?? { chosen: true } } : {}) };
}

/** Creates what is missing, and links the folder. @returns the service */
async function carryOut(
  session: Session,
  plan: Plan,
  { port, host }: { port: number | undefined; host: Host | undefined },
): Promise<Service> {
  if (!('create' in plan.service)) return plan.service;
  const project: Project =
    'create' in plan.project
      ? (await session.client.call('POST /api/projects', { body: { name: plan.project.create } })).project
      : plan.project;
  const { create: name, source } = plan.service;
  const { service } = await session.client.call('POST /api/projects/:projectId/services', {
    params: { projectId: project.id },
    body: {
      ...{ name, ...sourceFields(source) },
      ...(port === undefined ? {} : { internalPort: port }),
      ...(host === undefined ? {} : { runnerId: host.id }),
    },
  });
  await writeLink(session.directory, {
    ...{ project: project.slug, service: service.slug },
    ...(host === undefined ? {} : { host: host.name }),
  });
  return service;
}

function sourceFields(source: Source) {
  if (source.kind === 'git') return { repoUrl: source.url, branch: source.branch };
  if (source.kind === 'image') return { repoUrl: 'container-image', imageRef: source.image };
  return { repoUrl: 'upload' };
}
