/** Finds out what kind of project this is and how it is built, only from its files and the user's settings. */
import type { BuildPlan } from './build-plan.ts';
import { withDebianPackages } from './debian-packages.ts';
import { nothingFound } from './nothing-found.ts';
import { type Procfile, procfileStart, readProcfile } from './procfile.ts';
import type { ProjectFiles } from './project-files.ts';
import type { BuildOverrides, Provider } from './provider.ts';
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
 * Projects with a manifest. In order: a language's own manifest before package.json, which many projects have for their front end. Hugo is
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

/** Plain files come after servers, many of which bring pages along. */
const providers: readonly Provider[] = [...languages, staticFiles, shell];

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
  const plan = withDebianPackages(
    await provider.plan(files, { ...overrides, startCommand: overrides.startCommand || own }),
    overrides,
  );
  const notes = declared && !overrides.startCommand ? [procfileNote(declared, own)] : [];
  return {
    ...plan,
    notes: [...plan.notes, ...notes],
    release: plan.output.type === 'run' ? releaseOf(procfile, meant, plan) : null,
  };
}

/** A release command that has no meaning here is run as it is: its error says more than its absence. */
const releaseOf = (
  { release }: Procfile,
  meant: (command: string) => string | null,
  plan: BuildPlan,
): string | null => (release ? (meant(release) ?? release) : plan.release);

function procfileNote(declared: string, own: string | null): string {
  if (own === declared) return 'Start command: from the Procfile';
  const instead = own === null ? "the provider's own start command" : `"${own}"`;
  return `Start command: ${instead}, because the Procfile's "${declared}" is for the image of a buildpack`;
}
