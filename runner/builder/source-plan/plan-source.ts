/** Plans a source from its files alone: how it would be built, and what it needs. Nothing is run. */

import { variableName } from '../../../protocol/env-text.ts';
import {
  type PlannedVariable,
  planLimits,
  plannedVariableSchema,
  type SourcePlan,
} from '../../../protocol/sources/source-plan.ts';
import { JobFailure } from '../../base/job-failure.ts';
import { messageOf } from '../../base/logger.ts';
import { parseEnvExample } from '../../source/env-example.ts';
import type { BuildPlan } from '../analyzer/build-plan.ts';
import { detect } from '../analyzer/detect.ts';
import { readProcfile, releaseCommandOf } from '../analyzer/procfile.ts';
import type { ProjectFiles } from '../analyzer/project-files.ts';
import { AnalyzerError, type BuildOverrides } from '../analyzer/provider.ts';
import { decideBuildMethod } from '../decide-build-method.ts';
import { appPort, exposedPort } from './app-port.ts';
import { codeVariables } from './code-variables.ts';
import { type DockerfileFacts, dockerfileFacts } from './dockerfile-facts.ts';
import { exampleValues, shownExample } from './example-values.ts';
import { serviceFolders } from './service-folders.ts';
import { type SourceText, sourceTexts } from './source-texts.ts';
import { sourceWarnings } from './source-warnings.ts';
import { wantedDatabases } from './wanted-databases.ts';

/** The names that repositories give to the list of their variables. */
const exampleFiles = ['.env.example', '.env.sample', '.env.template', '.env.dist'] as const;

/** The fields that come from the files; the rest is the source's own. */
export type FilesPlan = Omit<
  SourcePlan,
  'branch' | 'rootDir' | 'branches' | 'commitSha' | 'commitMessage' | 'digest'
>;

const noSettings = {
  ...{ method: 'auto' as const, dockerfilePath: null, installCommand: null, buildCommand: null },
  ...{ startCommand: null, staticOutput: null },
} as const;

/** @param files of the service root */
export async function planSource(files: ProjectFiles): Promise<FilesPlan> {
  const examples = new Map<string, string>();
  for (const name of exampleFiles)
    for (const [key, value] of exampleValues(files.read(name) ?? ''))
      if (!examples.has(key)) examples.set(key, value);
  const procfile = readProcfile(files);
  const mode = procfile.has('worker') && !procfile.has('web') ? 'worker' : 'web';
  const overrides: BuildOverrides = { ...noSettings, runtimeMode: mode, env: {} };
  const root = files.around?.files ?? files;
  const folders = await serviceFolders(root, overrides, planLimits.folders);
  // The code of other services of a monorepo says nothing about what is at its top.
  const texts = sourceTexts(files, files.around ? [] : folders.map(({ path }) => path));
  const decision = decideBuildMethod(files, { build: noSettings, runtimeMode: mode, env: {} });
  const dockerfile = decision.type === 'dockerfile' ? decision.dockerfile : null;
  const docker = dockerfile === null ? undefined : readDockerfile(files, dockerfile);
  const analysis = dockerfile !== null ? undefined : await analyse(files, overrides);
  const plan = analysis && 'plan' in analysis ? analysis.plan : undefined;
  const start = plan?.output.type === 'run' ? plan.output.start : null;
  const isSite = plan?.output.type === 'site';
  const variables = variablesOf(files, texts, docker?.facts?.arguments ?? [], dockerfile ?? '');
  const keys = variables.map(({ key }) => key);
  const { kind, kindReason } = kindOf(mode, { isSite, isDockerfile: dockerfile !== null, start, texts });
  const port =
    kind === 'web'
      ? (exposedPort(docker?.facts?.exposed ?? [], `The ${dockerfile}`) ?? appPort(start, texts))
      : undefined;
  return {
    builtBy: dockerfile === null ? 'analyzer' : 'dockerfile',
    dockerfilePath: dockerfile,
    language: plan?.provider ?? null,
    framework: plan?.framework ?? null,
    ...(plan ? commandsOf(plan) : { installCommand: null, buildCommand: null }),
    startCommand: start === null ? null : cut(start),
    releaseCommand: cutOrNull(
      plan?.release ?? (dockerfile === null ? null : releaseCommandOf(null, procfile)),
    ),
    staticOutput: plan?.output.type === 'site' ? cutName(plan.output.directory) : null,
    kind,
    kindReason,
    port: port?.port ?? null,
    portReason: port ? cut(port.reason) : null,
    notes: (plan?.notes ?? []).slice(0, planLimits.notes).map(cut),
    variables: variables.slice(0, planLimits.variables).map((one) => ({
      ...one,
      example: shownExample(one.key, examples.get(one.key)),
    })),
    databases: wantedDatabases(files, keys, examples)
      .slice(0, planLimits.databases)
      .map((one) => ({ ...one, why: cut(one.why) })),
    volumes: (docker?.facts?.volumes ?? []).slice(0, planLimits.volumes).map(cutName),
    warnings: sourceWarnings(files, examples, {
      isSite,
      base: dockerfile === null ? null : (docker?.facts?.base ?? ''),
    })
      .slice(0, planLimits.warnings)
      .map(cut),
    obstacle: cutOrNull(docker?.obstacle ?? (analysis && 'obstacle' in analysis ? analysis.obstacle : null)),
    folders,
    user: docker?.facts?.user ? cutName(docker.facts.user) : null,
  };
}

const cut = (text: string) => text.slice(0, planLimits.textChars).toWellFormed();
const cutName = (text: string) => text.slice(0, planLimits.nameChars).toWellFormed();
const cutOrNull = (text: string | null) => (text === null ? null : cut(text));

async function analyse(
  files: ProjectFiles,
  overrides: BuildOverrides,
): Promise<{ plan: BuildPlan } | { obstacle: string }> {
  try {
    return { plan: await detect(files, overrides) };
  } catch (error) {
    if (error instanceof AnalyzerError || error instanceof JobFailure) return { obstacle: error.message };
    return { obstacle: `The files could not be read: ${messageOf(error)}` };
  }
}

function readDockerfile(
  files: ProjectFiles,
  path: string,
): { facts: DockerfileFacts | undefined; obstacle: string | null } {
  try {
    return { facts: dockerfileFacts(files.read(path) ?? ''), obstacle: null };
  } catch (error) {
    if (error instanceof JobFailure) return { facts: undefined, obstacle: error.message };
    throw error;
  }
}

/** What fetches dependencies, as opposed to what builds. */
const installs = /\b(?:install|ci|sync|restore|download|deps\.get|go-offline|fetch)\b/;

function commandsOf({ build }: BuildPlan): Pick<SourcePlan, 'installCommand' | 'buildCommand'> {
  const commands = build.steps.flatMap((step) => (step.type === 'run' ? [step.command] : []));
  const joined = (some: string[]) => (some.length === 0 ? null : cut(some.join(' && ')));
  return {
    installCommand: joined(commands.filter((command) => installs.test(command))),
    buildCommand: joined(commands.filter((command) => !installs.test(command))),
  };
}

/** Names of the example file first, then those of the Dockerfile, then those of the code. */
function variablesOf(
  files: ProjectFiles,
  texts: readonly SourceText[],
  dockerArguments: DockerfileFacts['arguments'],
  dockerfile: string,
): Omit<PlannedVariable, 'example'>[] {
  const found = new Map<string, Omit<PlannedVariable, 'example'>>();
  const add = (one: Omit<PlannedVariable, 'example'>) => {
    if (!variableName.test(one.key) || one.key.length > 100) return;
    const known = found.get(one.key);
    if (known) known.places = [...known.places, ...one.places].slice(0, planLimits.places);
    else found.set(one.key, one);
  };
  for (const name of exampleFiles)
    for (const { key, label } of parseEnvExample(files.read(name) ?? ''))
      add({ key, label, places: [name], of: 'example' });
  for (const { name, line } of dockerArguments)
    add({ key: name, label: '', places: [`${dockerfile}:${line}`], of: 'dockerfile' });
  const { places: placesMax, variables: keysMax } = planLimits;
  for (const { key, places } of codeVariables(texts, { keysMax, placesMax }))
    add({ key, label: '', places: places.map((place) => place.slice(0, planLimits.nameChars)), of: 'code' });
  return [...found.values()].filter(
    (one) => plannedVariableSchema.safeParse({ ...one, example: null }).success,
  );
}

const workerCommand =
  /\b(?:celery\b.*\bworker|sidekiq|rq worker|dramatiq|huey_consumer|arq|resque|queue:work|graphile-worker)\b/;
/** Libraries that keep a connection to another server and answer no requests. */
const ofBots =
  /["'](?:discord\.js|telegraf|grammy|node-telegram-bot-api)["']|\bimport (?:discord|telebot)\b|from (?:telegram|aiogram)\b/;
const listens =
  /\.listen\(|createServer\(|\bexpress\(|\bfastify\(|\bnew (?:Hono|Koa|Elysia)\(|\b(?:Bun|Deno)\.serve\(|\bFastAPI\(|\bFlask\(|ListenAndServe|\bweb\.run_app\(|uvicorn/i;

function kindOf(
  mode: 'web' | 'worker',
  {
    isSite,
    isDockerfile,
    start,
    texts,
  }: { isSite: boolean; isDockerfile: boolean; start: string | null; texts: readonly SourceText[] },
): { kind: SourcePlan['kind']; kindReason: string | null } {
  if (mode === 'worker')
    return { kind: 'worker', kindReason: 'The Procfile has a process "worker" and none named "web".' };
  if (isSite)
    return { kind: 'static', kindReason: 'The build leaves files, and no program answers requests.' };
  if (start !== null && workerCommand.test(start))
    return { kind: 'worker', kindReason: 'The start command works through a queue and answers no requests.' };
  const bot = isDockerfile ? undefined : texts.find(({ text }) => ofBots.test(text));
  if (bot && !texts.some(({ text }) => listens.test(text)))
    return {
      kind: 'worker',
      kindReason: cut(`${bot.path} keeps a connection to a chat, and no code opens a port.`),
    };
  return { kind: 'web', kindReason: null };
}
