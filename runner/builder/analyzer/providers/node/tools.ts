/** Programs that npm installs beside the app: its package manager, others that its commands call, and the server of its framework. */
import type { BuildOverrides } from '../../provider.ts';
import { withCalledScripts } from './called-scripts.ts';
import type { PackageJson } from './package-json.ts';
import type { PackageManager } from './package-manager.ts';
import type { Serving } from './serving.ts';

/** Calls of a program, by the npm package that has it. Node's image has npm and npx. */
const programs: Readonly<Record<string, readonly string[]>> = {
  pnpm: ['pnpm', 'pnpx'],
  yarn: ['yarn', 'yarnpkg'],
  '@yarnpkg/cli-dist': ['yarn'],
  bun: ['bun', 'bunx'],
  deno: ['deno'],
  srvx: ['srvx'],
};

/** Installed where a command calls them, in a project of any package manager. pnpm 11 needs Node 22. */
const others = ['pnpm@10', 'yarn@1', 'bun@latest', 'deno@latest'];

const usedScripts = ['build', 'start', 'worker'].flatMap((name) => [`pre${name}`, name, `post${name}`]);

/** The packages with their versions: `pnpm@10`. */
export function toolsOf(
  json: PackageJson,
  { manager, serving }: { manager: PackageManager; serving: Serving | null },
  { installCommand, buildCommand, startCommand, releaseCommand }: BuildOverrides,
): string[] {
  const own = [manager.tool, serving?.type === 'server' ? serving.tool : null].filter((tool) => tool != null);
  const commands = [
    ...usedScripts.map((name) => json.scripts[name]),
    ...[installCommand, buildCommand, startCommand, releaseCommand],
  ];
  const texts = commands.flatMap((command) => (command ? withCalledScripts(command, json.scripts) : []));
  const has = new Set(own.flatMap(programsOf));
  // A Yarn that the repository contains is found by every other Yarn (https://yarnpkg.com/configuration/yarnrc#yarnPath).
  return [
    ...own,
    ...others.filter(
      (tool) => !programsOf(tool).some((name) => has.has(name)) && texts.some((text) => calls(text, tool)),
    ),
  ];
}

/** True if the command, or a script that it runs, calls one of the installed programs. */
export const needsTools = (command: string, tools: readonly string[], { scripts }: PackageJson) =>
  withCalledScripts(command, scripts).some((text) => tools.some((tool) => calls(text, tool)));

const programsOf = (tool: string): readonly string[] => programs[tool.replace(/(.)@.*$/, '$1')] ?? [];

const calls = (text: string, tool: string) =>
  programsOf(tool).some((name) => new RegExp(`(^|[\\s;&|])${name}(\\s|$)`).test(text));
