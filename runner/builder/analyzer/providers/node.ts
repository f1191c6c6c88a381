/** JavaScript and TypeScript on Node or Bun: npm, pnpm, yarn, bun; single packages and workspaces; servers and sites. */
import { posix } from 'node:path';
import type { BuildPlan, BuildStep, RunOutput } from '../build-plan.ts';
import { directoriesBelow } from '../plan-parts.ts';
import { AnalyzerError, type BuildOverrides, type Provider } from '../provider.ts';
import { buildSteps, hasBuild, installsWithoutSource } from './node/build-steps.ts';
import { compilesOnly } from './node/compiles-only.ts';
import { debianPackages } from './node/libraries.ts';
import { findOut, type NodeFacts } from './node/node-facts.ts';
import { manifestName, type PackageJson, readPackage } from './node/package-json.ts';
import { toolsDirectory } from './node/package-manager.ts';
import { scriptEnvironment } from './node/script-environment.ts';
import type { Serving } from './node/serving.ts';
import { needsDevelopment, ownServer, startCommand } from './node/start-command.ts';
import { needsTools } from './node/tools.ts';
import { isNxApp, nodeApp } from './node/workspace.ts';

export const node: Provider = {
  name: 'node',
  /** A page next to a package.json that neither builds nor starts anything is a plain static site. */
  fits(files) {
    if (!manifestName(files)) return files.has('project.json') && isNxApp(files);
    const { scripts = {} } = readPackage(files) ?? {};
    return !files.has('index.html') || scripts.build !== undefined || scripts.start !== undefined;
  },
  plan: planNode,
};

async function planNode(
  files: Parameters<Provider['plan']>[0],
  overrides: BuildOverrides,
): Promise<BuildPlan> {
  const facts = await findOut(await nodeApp(files, overrides), files, overrides);
  const site = siteDirectory(facts, overrides);
  const image = { name: 'node', version: facts.version };
  const packages = debianPackages(facts);
  const compiled = compilesOnly(facts, overrides) ? { compilesOnly: true } : {};
  const common = {
    provider: 'node',
    framework: facts.framework?.id ?? null,
    notes: facts.notes,
    scope: facts.scope,
    release: null,
  };
  if (site) {
    const directory = posix.join(facts.base, facts.directory, site.directory);
    const steps = [
      ...buildSteps(facts, overrides, { production: false, prune: false }),
      ...fallbackSteps(directory, site.fallback),
    ];
    return {
      ...common,
      build: { image, packages: packages.build, steps, ...compiled },
      output: { type: 'site', directory, spa: site.spa },
    };
  }
  const start = startCommand(facts, overrides);
  if (!start) {
    throw new AnalyzerError(
      `package.json has no start command and no known static output: ${packagesBelow(files)}add a script "start", or set startCommand or staticOutput.`,
    );
  }
  facts.notes.push(`Starts with: ${start}`);
  const { steps, output } = runs(facts, overrides, start);
  const { serving } = facts;
  const release = (serving?.type === 'server' && serving.start === start && serving.release) || null;
  return {
    ...common,
    release,
    build: { image, packages: packages.build, steps, ...compiled },
    output: { ...output, image, packages: packages.run },
  };
}

/** A repository may have its front end and its server side by side, without a workspace. */
function packagesBelow(files: Parameters<Provider['plan']>[0]): string {
  const found = directoriesBelow(files, 2)
    .slice(1, directoriesMax)
    .filter((directory) => {
      const { scripts = {} } = readPackage(files, directory) ?? {};
      return scripts.start !== undefined || scripts.build !== undefined;
    });
  return found.length === 0
    ? ''
    : `set rootDir to ${found.length > 1 ? 'one of ' : ''}${found.join(', ')}, or `;
}

/** The limit of directories that are examined in a large repository. */
const directoriesMax = 100;

/** The directory that is served as files: the user's setting, or else the framework's output unless the package has a start command. */
function siteDirectory(
  { serving, json }: NodeFacts,
  { staticOutput, startCommand, runtimeMode }: BuildOverrides,
): { directory: string; spa: boolean; fallback?: string } | null {
  if (runtimeMode === 'worker') return null;
  const built = serving?.type === 'site' ? serving : null;
  if (staticOutput) return { directory: staticOutput, spa: built?.spa ?? false };
  if (runtimeMode === 'static') return built ?? missingOutput();
  return startCommand || (ownServer(json) && !built?.ignoresStart) ? null : built;
}

/** A site answers unknown paths with its 404.html, or with the index.html of a single-page app, which SvelteKit may write under any name. */
const fallbackSteps = (directory: string, page: string | undefined): BuildStep[] => {
  if (page === undefined) return [];
  const at = (name: string) => posix.join('/app', directory, name);
  const copies = ['index.html', '404.html'].map(
    (name) => `[ ! -e ${at(name)} ]; then cp ${at(page)} ${at(name)}`,
  );
  const command = `if [ ! -f ${at(page)} ]; then :; elif ${copies.join('; elif ')}; fi`;
  return [{ type: 'run', command, caches: [] }];
};

function missingOutput(): never {
  throw new AnalyzerError(
    'The service is a static site, but Longshore does not know where its framework writes the site: set staticOutput to the directory that the build writes.',
  );
}

/** The final image: only the needs of the framework's server, or dependencies and source, or all of /app. */
function runs(
  facts: NodeFacts,
  overrides: BuildOverrides,
  start: string,
): { steps: BuildStep[]; output: Omit<RunOutput, 'image' | 'packages'> } {
  const { base, directory, serving } = facts;
  const at = posix.join('/app', base, directory);
  const isDefault = serving?.type === 'server' && serving.start === start;
  const outputs = isDefault && facts.scope === 'service' && directory === '.' ? serving.outputs : undefined;
  const release = overrides.releaseCommand ?? null;
  const commands = [start, release ?? ''];
  const tools = commands.some((command) => needsTools(command, facts.tools, facts.json))
    ? [{ from: toolsDirectory, to: toolsDirectory }]
    : [];
  const hasFile = (path: string) => facts.root.has(posix.join(directory, path));
  const development = commands.some((command) => needsDevelopment(command, withTools(facts), hasFile));
  const production = !hasBuild(facts, overrides) && !development;
  const plain = production && isPlain(facts, overrides);
  const steps = buildSteps(facts, overrides, {
    production,
    prune: !(outputs && release === null) && !development,
  });
  const common = {
    type: 'run' as const,
    env: {
      NODE_ENV: 'production',
      NPM_CONFIG_UPDATE_NOTIFIER: 'false',
      ...scriptEnvironment(facts.json, facts.manager, facts.version),
      ...searchPath(at, base, tools.length > 0),
      ...serverEnv(serving),
    },
    ...(at === '/app' ? {} : { directory: at }),
    start,
  };
  const own = (outputs ?? []).map(({ from, to }) => ({
    from: slashed('/app', from),
    to: slashed('/app', to),
  }));
  if (outputs && release === null) return { steps, output: { ...common, copies: [...own, ...tools] } };
  if (plain) {
    const modules = { from: '/app/node_modules/', to: '/app/node_modules/' };
    const copies = [...(hasDependencies(facts.json) ? [modules] : []), ...tools];
    // The source is copied directly into the final image, so a change of it does not affect the build stage.
    const install = steps.filter((step) => step.type !== 'copy' || !step.paths.includes('.'));
    return { steps: copies.length > 0 ? install : [], output: { ...common, copies, sources: ['.'] } };
  }
  // A release command needs its packages and the source, beside what the framework's server has of its own.
  const moved = own.filter(({ from, to }) => from !== to);
  return { steps, output: { ...common, copies: [{ from: '/app/', to: '/app/' }, ...moved, ...tools] } };
}

/** Programs of a workspace's root are found in its packages, too. */
const withTools = ({ json, rootJson }: NodeFacts): PackageJson => ({
  ...json,
  devDependencies: { ...rootJson.devDependencies, ...json.devDependencies },
});

/** True for one package whose install reads its manifests and writes into node_modules: the source does not need to pass through the build stage. */
const isPlain = (facts: NodeFacts, overrides: BuildOverrides) =>
  facts.scope === 'service' && facts.project.packages.length === 0 && installsWithoutSource(facts, overrides);

const hasDependencies = ({ dependencies, optionalDependencies }: PackageJson) =>
  Object.keys({ ...dependencies, ...optionalDependencies }).length > 0;

const serverEnv = (serving: Serving | null) => (serving?.type === 'server' ? (serving.env ?? {}) : {});

/** Lets a script's text find the programs that a package manager would find. */
function searchPath(at: string, base: string, hasTools: boolean): Record<string, string> {
  const places = new Set(
    [at, posix.join('/app', base)].map((place) => posix.join(place, 'node_modules/.bin')),
  );
  return { PATH: [...places, ...(hasTools ? [`${toolsDirectory}/bin`] : []), '$PATH'].join(':') };
}

const slashed = (root: string, path: string) => `${posix.join(root, path).replace(/\/$/, '')}/`;
