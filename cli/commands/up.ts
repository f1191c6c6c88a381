/** `up`: from the folder to a URL. */
import { basename } from 'node:path';
import { buildCommand } from '@stricli/core';
import type { Project, Service } from '../../client/client.ts';
import { usageFailure } from '../base/failure.ts';
import { confirm } from '../base/prompts.ts';
import { followDeployment } from '../deployments/follow.ts';
import { assertSameSource, type Plan, planLines, type Source, sourceOf } from '../deployments/plan.ts';
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
  port?: number;
  timeout?: number;
}

export const up = buildCommand({
  docs: about(
    'Deploy this folder: create what is missing, deploy, follow',
    'Shows what it will do, creates the project and the service if they are missing, deploys, and follows the log. The source is the git remote of this folder and its branch as it was last pushed, or what --repo or --image names. The exit code is 0 when the new version serves, 1 when it failed, 2 for wrong usage, 3 when it was aborted and 4 after --timeout. Ctrl-C ends the waiting, not the deployment.',
  ),
  parameters: {
    flags: {
      ...serviceFlags,
      yes: switchFlag('Create what is missing without asking'),
      detach: switchFlag('Return when the deployment is queued'),
      image: textFlag('Deploy this container image', 'image'),
      repo: textFlag('Build this git repository', 'url'),
      branch: textFlag('Branch of --repo (main)', 'branch'),
      port: {
        kind: 'parsed',
        parse: wholeNumber,
        brief: 'Port on which a new service listens',
        optional: true,
        placeholder: 'number',
      },
      timeout: timeoutFlag,
    },
    aliases: { ...serviceAliases, y: 'yes', d: 'detach' },
  },
  async func(this: CommandLine, flags: UpFlags) {
    const session = await openSession(this, flags);
    const { output } = session;
    const directory = this.process.cwd();
    const { source, notes } = await wantedSource(flags, directory);
    const plan = await planOf(session, flags, directory, source);
    for (const line of [
      ...planLines(plan),
      ...notes.map((note) => output.style('yellow', `! ${note}`, 'stderr')),
    ])
      output.progress(line);
    if ('create' in plan.service) await confirm(session.streams, 'Create and deploy this?', flags.yes);
    const service = await carryOut(session, plan, flags.port);
    const { deployment } = await session.client.call('POST /api/services/:serviceId/deployments', {
      params: { serviceId: service.id },
    });
    if (!flags.detach)
      return followDeployment(session, deployment, { process: this.process, timeoutSeconds: flags.timeout });
    output.answer({ deployment }, () => deployment.id);
  },
});

async function wantedSource({ image, repo, branch }: UpFlags, directory: string) {
  if (image !== undefined && repo !== undefined) throw usageFailure('Name --image or --repo, not both.');
  if (branch !== undefined && repo === undefined)
    throw usageFailure(
      '--branch belongs to --repo; without it, the branch is the one that is checked out here.',
    );
  const given: Source | undefined =
    image !== undefined
      ? { kind: 'image', image }
      : repo !== undefined
        ? { kind: 'git', url: repo, branch: branch ?? 'main' }
        : undefined;
  return given === undefined ? sourceOf(directory) : { source: given, notes: [] };
}

async function planOf(session: Session, flags: UpFlags, directory: string, source: Source): Promise<Plan> {
  const link = await readLink(directory);
  const path = flags.service?.includes('/') ? flags.service.split('/') : undefined;
  const folder = nameOf(basename(directory));
  const projectName = path?.[0] ?? flags.project ?? link?.project ?? folder;
  const serviceName = path?.[1] ?? flags.service ?? link?.service ?? folder;
  const named = (name: string) => (one: { id: string; slug: string; name: string }) =>
    [one.id, one.slug, one.name].includes(name);
  const project = (await session.projects()).find(named(projectName));
  const service = project?.services.find(named(serviceName));
  if (service !== undefined) assertSameSource(service, source);
  return {
    project: project ?? { create: projectName },
    service: service ?? { create: serviceName, source },
    source,
  };
}

/** Creates what is missing, and links the folder. @returns the service */
async function carryOut(session: Session, plan: Plan, port: number | undefined): Promise<Service> {
  if (!('create' in plan.service)) return plan.service;
  const project: Project =
    'create' in plan.project
      ? (await session.client.call('POST /api/projects', { body: { name: plan.project.create } })).project
      : plan.project;
  const { create: name, source } = plan.service;
  const ofSource =
    source.kind === 'git'
      ? { repoUrl: source.url, branch: source.branch }
      : { repoUrl: 'container-image', imageRef: source.image };
  const { service } = await session.client.call('POST /api/projects/:projectId/services', {
    params: { projectId: project.id },
    body: { name, ...ofSource, ...(port === undefined ? {} : { internalPort: port }) },
  });
  await writeLink(session.directory, { project: project.slug, service: service.slug });
  return service;
}
