/** Determines the kind of a project and its build, only from its files and the user's settings. */

import type { BuildPlan } from './build-plan.ts';
import { otherLanguage } from './other-languages.ts';
import { directoriesBelow } from './plan-parts.ts';
import { type Procfile, readProcfile } from './procfile.ts';
import { filesBelow, type ProjectFiles } from './project-files.ts';
import { AnalyzerError, type BuildOverrides, type Provider } from './provider.ts';
import { deno } from './providers/deno.ts';
import { dotnet } from './providers/dotnet.ts';
import { elixir } from './providers/elixir.ts';
import { go } from './providers/go.ts';
import { hugo } from './providers/hugo.ts';
import { java } from './providers/java.ts';
import { native } from './providers/native.ts';
import { node } from './providers/node.ts';
import { php } from './providers/php.ts';
import { python } from './providers/python.ts';
import { ruby } from './providers/ruby.ts';
import { rust } from './providers/rust.ts';
import { sbt } from './providers/sbt.ts';
import { shell } from './providers/shell.ts';
import { staticFiles } from './providers/static-files.ts';

/**
 * Projects with a manifest. A language's own manifest is ahead of package.json, which many projects have for their front end. Hugo is
 * first, because its themes may be modules of Go.
 */
const languages: readonly Provider[] = [
  hugo,
  sbt,
  php,
  go,
  java,
  rust,
  ruby,
  python,
  deno,
  dotnet,
  elixir,
  node,
  native,
];

/** Plain files are tried after servers, because many servers also contain pages. */
const providers: readonly Provider[] = [...languages, staticFiles, shell];

/** Whether a manifest of a language is here. */
export const fitsLanguage = (files: ProjectFiles): boolean => languages.some((one) => one.fits(files));

/**
 * The user's own command has precedence over a Procfile, and a Procfile over the provider's start command.
 * @throws AnalyzerError with a sentence when nothing fits
 */
export async function detect(files: ProjectFiles, overrides: BuildOverrides): Promise<BuildPlan> {
  const provider =
    providers.find((one) => one.fits(files)) ?? (overrides.staticOutput ? staticFiles : undefined);
  if (!provider) throw nothingFound(files, languages);
  const procfile = readProcfile(files);
  const declared = overrides.runtimeMode === 'static' ? null : procfileStart(procfile, overrides.runtimeMode);
  const meant = (command: string) =>
    provider.procfileStart ? provider.procfileStart(command, files, overrides) : command;
  const own = declared && meant(declared);
  // A release command without a meaning here is run unchanged: its error is clearer than its absence.
  const written = procfile.get('release');
  const release = overrides.releaseCommand || (written && (meant(written) ?? written)) || null;
  const startCommand = overrides.startCommand || own;
  const plan = withDebianPackages(
    await provider.plan(files, { ...overrides, startCommand, releaseCommand: release }),
    overrides,
  );
  const notes = declared && !overrides.startCommand ? [procfileNote(declared, own)] : [];
  return {
    ...plan,
    notes: [...plan.notes, ...notes],
    release: plan.output.type === 'run' ? (release ?? plan.release) : null,
  };
}

function procfileNote(declared: string, own: string | null): string {
  if (own === declared) return 'Start command: from the Procfile';
  const instead = own === null ? "the provider's own start command" : `"${own}"`;
  return `Start command: ${instead}, because the Procfile's "${declared}" is for the image of a buildpack`;
}

/**
 * Debian packages that a project needs in addition to its manifests: the variable `APT_PACKAGES`. Adds the packages to the build and to the
 * final image. @throws AnalyzerError for an invalid package name
 */
function withDebianPackages(plan: BuildPlan, { env }: BuildOverrides): BuildPlan {
  const names = (env.APT_PACKAGES ?? '').split(/[\s,]+/).filter((name) => name !== '');
  // https://www.debian.org/doc/debian-policy/ch-controlfields.html#source
  const wrong = names.find((name) => !/^[a-z0-9][a-z0-9+.-]+$/.test(name));
  if (wrong !== undefined) {
    throw new AnalyzerError(
      `The variable APT_PACKAGES contains ${JSON.stringify(wrong)}: give names of Debian packages, separated by spaces.`,
    );
  }
  if (names.length === 0) return plan;
  const { build, output, notes } = plan;
  return {
    ...plan,
    notes: [...notes, `Debian packages: ${names.join(', ')}`],
    build: { ...build, packages: [...new Set([...build.packages, ...names])] },
    output:
      output.type === 'run' ? { ...output, packages: [...new Set([...output.packages, ...names])] } : output,
  };
}

/** The limit of directories that are examined in a large repository. */
const directoriesMax = 300;
/** More names would hide the rest of the message. */
const namesMax = 6;

/**
 * The message for a service root that no provider can build: it lists the directories that a provider could.
 * @param languages the providers whose manifests mark a directory as a project
 */
/** The names that Compose looks for (https://docs.docker.com/compose/intro/compose-application-model/#the-compose-file). */
const composeFiles = ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml'];

function nothingFound(files: ProjectFiles, languages: readonly Provider[]): AnalyzerError {
  const other = otherLanguage(files);
  if (other) return new AnalyzerError(other);
  const compose = composeFiles.find((name) => files.has(name));
  const found: string[] = [];
  for (const directory of directoriesBelow(files, 2).slice(1, directoriesMax)) {
    const isInside = found.some((one) => directory.startsWith(`${one}/`));
    const below = filesBelow(files, directory);
    if (!isInside && languages.some((one) => one.fits(below))) found.push(directory);
  }
  const more = found.length > namesMax ? ` and ${found.length - namesMax} more` : '';
  const names = `${found.slice(0, namesMax).join(', ')}${more}`;
  if (compose !== undefined && found.length === 0)
    return new AnalyzerError(
      `${compose} is not read: each of its services becomes a service here (docs/guide/published-apps.md). To build this one, add a Dockerfile or a Procfile.`,
    );
  return new AnalyzerError(
    found.length > 0
      ? `Nothing in the service root says how to build it: set rootDir to ${found.length > 1 ? 'one of ' : ''}${names}, or add a Dockerfile or a Procfile.`
      : 'Nothing in this repository says how to build it: add a Dockerfile or a Procfile, or check rootDir.',
  );
}

/** The start command in the Procfile: a worker uses `worker`, or `web` if there is no `worker`. */
const procfileStart = (procfile: Procfile, mode: BuildOverrides['runtimeMode']) =>
  (mode === 'worker' ? (procfile.get('worker') ?? procfile.get('web')) : procfile.get('web')) ?? null;
