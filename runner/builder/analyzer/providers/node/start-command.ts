/** A package's start command, and what it needs in the final image. */
import { posix } from 'node:path';
import type { ProjectFiles } from '../../project-files.ts';
import { AnalyzerError, type BuildOverrides } from '../../provider.ts';
import type { PackageJson } from './package-json.ts';
import type { PackageManager } from './package-manager.ts';
import type { Serving } from './serving.ts';

/** Development or preview servers: a site whose `start` is one of these is still a site. */
const siteServers =
  /^(npx\s+)?(vite|react-scripts|ng|vue-cli-service|serve|http-server|live-server|lite-server|parcel|webpack|webpack-dev-server|astro|gatsby|docusaurus|vitepress|vuepress|eleventy|ember|stencil|expo|quasar|rsbuild|rspack)(\s|$)/;

const mainFiles = ['index', 'server', 'app', 'main', 'src/index', 'src/server', 'src/app', 'src/main'];

export interface StartFacts {
  root: ProjectFiles;
  directory: string;
  json: PackageJson;
  manager: PackageManager;
  serving: Serving | null;
}

/** @returns undefined when no start command is found @throws AnalyzerError with a framework's own reason */
export function startCommand(facts: StartFacts, overrides: BuildOverrides): string | undefined {
  const { json, serving } = facts;
  if (overrides.startCommand) return overrides.startCommand;
  const preset = serving?.type === 'server' ? serving : null;
  const worker = overrides.runtimeMode === 'worker' ? script(facts, 'worker') : undefined;
  const own = ownServer(json) ? script(facts, 'start') : undefined;
  if (preset?.refusal && !worker && !own) throw new AnalyzerError(preset.refusal);
  return worker ?? (preset?.startWins ? preset.start : null) ?? own ?? preset?.start ?? mainFile(facts);
}

/** Whether the script `start` runs the project's own server. */
export const ownServer = ({ scripts }: PackageJson) =>
  scripts.start !== undefined && !siteServers.test(scripts.start.trim());

/**
 * The text of a script, so that no package manager stays in memory next to the app. If the manager does more than run the text, its
 * command.
 */
function script({ json, manager }: StartFacts, name: string): string | undefined {
  const text = json.scripts[name];
  if (text === undefined) return undefined;
  const needsManager = `pre${name}` in json.scripts || `post${name}` in json.scripts || text.includes('npm_');
  return needsManager ? `${manager.command} run ${name}` : text;
}

function mainFile({ root, directory, json, manager }: StartFacts): string | undefined {
  const runs = manager.name === 'bun' ? 'bun' : 'node';
  const has = (path: string) => root.has(posix.join(directory, path));
  if (json.main && (has(json.main) || json.scripts.build)) return `${runs} ${json.main}`;
  const endings = ['js', 'mjs', 'cjs', 'ts'];
  const found = mainFiles.flatMap((file) => endings.map((ending) => `${file}.${ending}`)).find(has);
  return found && `${runs} ${found}`;
}

/** Whether a command uses a program or module from a development dependency: `tsx src/index.ts`, `node --import tsx`. */
export function needsDevelopment(command: string, { devDependencies, dependencies }: PackageJson): boolean {
  const programs: Record<string, string> = {
    tsc: 'typescript',
    nest: '@nestjs/cli',
    ng: '@angular/cli',
    fastify: 'fastify-cli',
    'react-router-serve': '@react-router/serve',
  };
  return command.split(/[\s=;&|]+/).some((word) => {
    const name = word.startsWith('@') ? word.split('/').slice(0, 2).join('/') : (word.split('/')[0] ?? '');
    const owner = (Object.hasOwn(programs, name) && programs[name]) || name;
    return owner in devDependencies && !(owner in dependencies);
  });
}

/** Whether it runs a program that npm had to install for the build. */
export const needsTools = (command: string, tools: readonly string[]) =>
  tools.length > 0 && /(^|[\s;&|])(pnpm|pnpx|yarn|yarnpkg|bun|bunx|deno)(\s|$)/.test(command);
