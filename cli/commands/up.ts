/** `up`: from the folder to a URL. */
import { basename } from 'node:path';
import type { Deployment, Project, Service } from '../../client/client.ts';
import { buildCommand } from '../base/command.ts';
import { usageFailure } from '../base/failure.ts';
import { confirm } from '../base/prompts.ts';
import { carryOut, startDeployment } from '../data/carry-out.ts';
import { type Engine, engines, plannedDatabase } from '../data/databases.ts';
import { findHost, type Host, hostName, knownHosts } from '../data/hosts.ts';
import { followDeployment } from '../deployments/follow.ts';
import {
  asksFirst,
  assertSameHost,
  formerSourceOf,
  hasGitRemote,
  isOfFolder,
  messageOf,
  type Plan,
  planLines,
  type Source,
  sourceOf,
  type Version,
  versionOfFolder,
} from '../deployments/plan.ts';
import { isNamed } from '../names/find.ts';
import { hostFlag } from '../proposals.ts';
import {
  type SettingFlags,
  settingFlags,
  settingsOfFlags,
  sourceOfFlags,
  variablesOfFlags,
} from '../service-settings/setting-flags.ts';
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
} from '../session.ts';
import { readLink } from '../settings/link.ts';
import { nameOf } from './link.ts';
import { timeoutFlag } from './releases.ts';

interface UpFlags extends ServiceFlags, SettingFlags {
  yes: boolean;
  detach: boolean;
  upload: boolean;
  message?: string;
  force: boolean;
  db?: Engine;
  host?: string;
  timeout?: number;
}

export const up = buildCommand({
  docs: about(
    'Deploy this folder and follow the log',
    'Shows the plan, creates the project and the service if they are missing, deploys, and follows the log. If the folder has a git remote, the branch is deployed as it was last pushed. If it has none, or with --upload, the files of the folder are sent. These are not sent: .git, node_modules, .env, and the files that .gitignore, .longshoreignore or (beside a Dockerfile) .dockerignore list. --repo, --image and --upload name another source; a service that exists gets it and keeps its domains, variables, volumes and versions. If the live version is what would be deployed, nothing is. If the plan is refused, nothing that it created stays. Exit codes: 0 the new version serves, 1 it failed, 2 wrong usage, 3 it was aborted, 4 --timeout has passed. Ctrl-C stops waiting; the deployment continues.',
    'longshore up --db postgres --env-file .env --root apps/web',
  ),
  parameters: {
    flags: {
      ...serviceFlags,
      yes: switchFlag('Create what is missing, and replace the source, without asking'),
      detach: switchFlag('Do not wait: return when the deployment is queued'),
      ...settingFlags,
      upload: switchFlag('Send the files of this folder, even if it has a git remote'),
      db: {
        kind: 'enum',
        values: engines,
        brief: 'Database that the service needs: created and started first, if the project has none',
        optional: true,
      },
      message: textFlag(
        'A line about this version, for a folder or an image; longshore releases shows it',
        'text',
      ),
      force: switchFlag('Deploy even if nothing has changed'),
      host: hostFlag('Host on which the service is created: name or id'),
      timeout: timeoutFlag,
    },
    aliases: { ...serviceAliases, y: 'yes', d: 'detach' },
  },
  async func(this: CommandLine, flags: UpFlags) {
    const session = await openSession(this, flags);
    const { output } = session;
    const follow = { process: this.process, timeoutSeconds: flags.timeout };
    const directory = this.process.cwd();
    const target = await targetOf(session, flags, directory);
    const [settings, variables] = [settingsOfFlags(flags), await variablesOfFlags(session, flags)];
    const { source, notes } = await wantedSource(flags, directory, target.service);
    const isNamed = sourceOfFlags(flags, flags.upload) !== undefined;
    const formerSource = target.service && formerSourceOf(target.service, source, isNamed);
    const { host, shown } = await placeOf(session, target, flags.host);
    const plan: Plan = {
      ...planOf(target, source),
      ...(formerSource === undefined ? {} : { formerSource }),
      ...(flags.db === undefined ? {} : { database: plannedDatabase(target.project, flags.db) }),
      version: await versionOf(source, directory, flags.message),
      settings: Object.keys(settings),
      variables: Object.keys(variables),
      ...(shown === undefined ? {} : { host: shown }),
    };
    for (const line of [
      ...planLines(plan),
      ...notes.map((note) => output.style('yellow', `! ${note}`, 'stderr')),
    ])
      output.progress(line);
    const question =
      formerSource === undefined ? 'Create and deploy this?' : 'Replace the source and deploy it?';
    if (asksFirst(plan)) await confirm(session.streams, question, flags.yes, true);
    const wishes = { settings, variables, host, force: flags.force };
    const { service, body, queued } = await carryOut(session, plan, wishes);
    if (queued.of === 'nothing') return tellUnchanged(session, service, queued.deployment);
    // The command has one result: the version of the service.
    if (queued.of === 'database')
      await followDeployment({ ...session, output: { ...output, answer() {} } }, queued.deployment, follow);
    const deployment =
      queued.of === 'database' ? await startDeployment(session, service, body) : queued.deployment;
    if (!flags.detach) return followDeployment(session, deployment, follow);
    output.answer({ deployment }, () => deployment.id);
    output.progress(`To follow it: longshore logs -f --deployment ${deployment.id}`);
  },
});

async function versionOf(source: Source, directory: string, message: string | undefined): Promise<Version> {
  if (source.kind === 'folder') return versionOfFolder(directory, message);
  if (message === undefined) return {};
  if (source.kind === 'image') return messageOf(message);
  throw usageFailure('--message is for folders and images: a commit has its own message.');
}

/** The same result as after a deployment, with the sentence why there is none. */
function tellUnchanged({ output }: Session, service: Service, deployment: Deployment): void {
  const url = service.primaryUrl || service.localUrl;
  output.progress(
    `Nothing has changed since ${deployment.id}, which is live. To deploy it anyway: longshore up --force`,
  );
  output.answer({ event: 'result', deployment, url, unchanged: true }, () => url);
}

interface Target {
  project: Project | undefined;
  service: Service | undefined;
  /** The host for a new service, from the link. */
  linkedHost: string | undefined;
  projectName: string;
  serviceName: string;
}

/** @param service the existing service; if it is built from an uploaded folder, the folder is sent */
async function wantedSource(
  flags: UpFlags,
  directory: string,
  service: Service | undefined,
): Promise<{ source: Source; notes: string[] }> {
  const { image, repo, branch = 'main', upload } = flags;
  if (image !== undefined) return { source: { kind: 'image', image }, notes: [] };
  if (repo !== undefined) return { source: { kind: 'git', url: repo, branch }, notes: [] };
  const takesFolder = service ? isOfFolder(service) : !(await hasGitRemote(directory));
  if (!upload && !takesFolder) return sourceOf(directory);
  const { listFolder } = await import('../folder/list-folder.ts');
  const list = await listFolder(directory);
  return { source: { kind: 'folder', list }, notes: list.leftOut };
}

/** The chosen project and service, if they exist. */
async function targetOf(session: Session, flags: UpFlags, directory: string): Promise<Target> {
  const link = await readLink(directory);
  const path = flags.service?.includes('/') ? flags.service.split('/') : undefined;
  const folder = nameOf(basename(directory));
  const projectName = path?.[0] ?? flags.project ?? link?.project ?? folder;
  const serviceName = path?.[1] ?? flags.service ?? link?.service ?? folder;
  const project = (await session.projects()).find(isNamed(projectName));
  const service = project?.services.find(isNamed(serviceName));
  return { projectName, serviceName, project, service, linkedHost: link?.host };
}

const planOf = ({ project, service, projectName, serviceName }: Target, source: Source) => ({
  project: project ?? { create: projectName },
  service: service ?? { create: serviceName },
  source,
});

/**
 * The host on which a new service is created, and the host that the plan shows.
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
