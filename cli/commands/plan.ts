/** `plan`: what a source would become, before there is a service. */
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ReplyOf } from '../../client/client.ts';
import { buildCommand } from '../base/command.ts';
import { Failure } from '../base/failure.ts';
import { chosenProject } from '../data/project.ts';
import {
  about,
  type CommandLine,
  type CommonFlags,
  openSession,
  serviceFlags,
  textFlag,
} from '../session.ts';

type Plan = NonNullable<ReplyOf<'POST /api/projects/:projectId/source-plans'>['plan']>;

interface PlanFlags extends CommonFlags {
  project?: string;
  branch?: string;
  root?: string;
}

const { service: _, ...projectFlags } = serviceFlags;

export const plan = buildCommand({
  docs: about(
    'Say what a repository, image or folder would become',
    'A host reads the source: how it would be built, on which port it answers, which variables, databases and volumes it wants, and what will surprise. Nothing is created, and of a folder only the list of files and some texts are sent. Private repositories are read with the logins of the project; --json gives all that was found. Exit code 1: the source could not be read.',
    'longshore plan github.com/acme/shop/tree/main/apps/web',
  ),
  parameters: {
    flags: {
      ...projectFlags,
      branch: textFlag(
        'Branch of a repository; without it, that of the address or the default one',
        'branch',
      ),
      root: textFlag('Folder of the service in the source', 'folder'),
    },
    aliases: { p: 'project' },
    positional: {
      kind: 'tuple',
      parameters: [
        {
          brief: 'Repository, image or folder; without it, this folder',
          parse: String,
          placeholder: 'source',
          optional: true,
        },
      ],
    },
  },
  async func(this: CommandLine, flags: PlanFlags, given?: string) {
    const session = await openSession(this, flags);
    const project = await chosenProject(session, flags);
    const folder = resolve(session.directory, given ?? '.');
    const isFolder =
      given === undefined || (await stat(folder).catch(() => undefined))?.isDirectory() === true;
    const { planFiles } = await import('../folder/plan-files.ts');
    const body = {
      ...(isFolder ? { files: await planFiles(folder) } : { source: given }),
      ...(flags.branch === undefined ? {} : { branch: flags.branch }),
      ...(flags.root === undefined ? {} : { rootDir: flags.root }),
    };
    const found = await session.client.call('POST /api/projects/:projectId/source-plans', {
      params: { projectId: project.id },
      body,
    });
    if (found.plan === null) throw new Failure(found.problem?.message ?? 'The source could not be read.');
    const { plan: read } = found;
    session.output.answer({ plan: read }, () => planText(read).join('\n'));
  },
});

function planText(plan: Plan): string[] {
  const built = {
    dockerfile: `by ${plan.dockerfilePath}`,
    analyzer: [plan.framework, plan.language].filter(Boolean).join(', ') || 'by the analyzer',
    image: 'nothing: the image is pulled',
  }[plan.builtBy];
  const of = (label: string, text: string | null) => (text === null ? [] : [`${label.padEnd(11)}${text}`]);
  const list = (label: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ['', `${label}:`, ...lines.map((line) => `  ${line}`)];
  const commit =
    plan.commitSha === null ? null : `${plan.branch}, ${plan.commitSha.slice(0, 7)} ${plan.commitMessage}`;
  return [
    // A folder has its own name.
    ...of('Name', (plan.repoUrl ?? plan.imageRef) ? plan.name : null),
    ...of('Commit', commit),
    ...of('Folder', plan.rootDir),
    ...of('Kind', plan.kindReason === null ? plan.kind : `${plan.kind}: ${plan.kindReason}`),
    ...of('Build', built),
    ...of('Install', plan.installCommand),
    ...of('Compile', plan.buildCommand),
    ...of('Start', plan.startCommand),
    ...of('Release', plan.releaseCommand),
    ...of('Files', plan.staticOutput),
    ...of('Port', plan.port === null ? null : `${plan.port}: ${plan.portReason}`),
    ...list('Databases', plan.databases.map(databaseLine)),
    ...list('Variables', plan.variables.map(variableLine)),
    ...list('Data of the image, lost without a volume', plan.volumes),
    ...list(
      'Folders that can be services (--root)',
      plan.folders.map(({ path, what }) => `${path} (${what})`),
    ),
    ...list('Mind', plan.warnings),
    ...list('It can not be built yet', plan.obstacle === null ? [] : [plan.obstacle]),
  ];
}

const databaseLine = ({ title, why, key, existing, create }: Plan['databases'][number]) => {
  const [first] = existing;
  const value = first?.value ?? create.value;
  const way = first
    ? `has ${first.name}`
    : `longshore db create ${create.name} --engine ${create.repoFullName.split(':')[1]}`;
  return `${title}, because of ${why}: ${key}=${value} (${way})`;
};

const variableLine = ({ key, example, label, places }: Plan['variables'][number]) =>
  `${key}${example === null ? '' : `=${example}`}  ${[label, places.join(', ')].filter((part) => part !== '').join('; ')}`;
