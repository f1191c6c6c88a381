/** Builds that only compile: neither code nor a configuration with code of the project runs in them, so they read no variable of the app. */
import { posix } from 'node:path';
import type { BuildOverrides } from '../../provider.ts';
import { installsWithoutSource } from './build-steps.ts';
import type { NodeFacts } from './node-facts.ts';
import type { PackageJson } from './package-json.ts';
import { prismaCommands } from './prisma.ts';
import { buildScriptName } from './serving.ts';

/** Their settings are flags and JSON. A flag may choose another compiler, whose configuration is code: those of Nest are left out. */
const compilers =
  /^(?:npx )?(?:tsc|tsc-alias|esbuild|rimraf|del-cli|rm|mkdir|cp|cpy|copyfiles)(?: [^$`<>|&]*)?$|^(?:npx )?nest build(?: \w[\w-]*)?$/;
const scriptCall = /^(?:npm|pnpm|yarn|bun) (?:run )?([\w:.-]+)$/;
/** Scripts may call themselves. */
const depthMax = 5;

/** True for one package whose install sees no source, and whose scripts of the build, with those before and after it, run only compilers. */
export function compilesOnly(facts: NodeFacts, overrides: BuildOverrides): boolean {
  const { json, framework, directory, project, scope, root } = facts;
  const name = buildScriptName(json, framework ?? {});
  const isAlone = scope === 'service' && directory === '.' && project.packages.length === 0;
  if (!isAlone || name === undefined || overrides.buildCommand || !installsWithoutSource(facts, overrides))
    return false;
  if (prismaCommands(facts, posix.join('/app', facts.base)).length > 0) return false;
  // Nest's own settings may name webpack, SWC or Rspack.
  if (/"(?:webpack\w*|builder)"/.test(root.read('nest-cli.json') ?? '')) return false;
  return scriptCompiles(json, name, depthMax);
}

const scriptCompiles = ({ scripts }: Pick<PackageJson, 'scripts'>, name: string, depth: number): boolean =>
  depth > 0 &&
  [`pre${name}`, name, `post${name}`]
    .flatMap((one) => (Object.hasOwn(scripts, one) ? (scripts[one] ?? '').split(/&&|;/) : []))
    .map((command) => command.trim())
    .every((command) => {
      const called = scriptCall.exec(command)?.[1];
      return called !== undefined && Object.hasOwn(scripts, called)
        ? scriptCompiles({ scripts }, called, depth - 1)
        : compilers.test(command);
    });
