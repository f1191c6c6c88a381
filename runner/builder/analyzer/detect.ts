/** Finds out what kind of project this is and how it is built, only from its files and the user's settings. */
import type { BuildPlan } from './build-plan.ts';
import { procfileStart, readProcfile } from './procfile.ts';
import type { ProjectFiles } from './project-files.ts';
import { AnalyzerError, type BuildOverrides, type Provider } from './provider.ts';
import { deno } from './providers/deno.ts';
import { dotnet } from './providers/dotnet.ts';
import { elixir } from './providers/elixir.ts';
import { go } from './providers/go.ts';
import { java } from './providers/java.ts';
import { native } from './providers/native.ts';
import { node } from './providers/node.ts';
import { php } from './providers/php.ts';
import { python } from './providers/python.ts';
import { ruby } from './providers/ruby.ts';
import { rust } from './providers/rust.ts';
import { shell } from './providers/shell.ts';
import { staticFiles } from './providers/static-files.ts';

/** In order: a language's own manifest before package.json, which many projects have for their front end. */
const providers: readonly Provider[] = [
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
  // Before plain files, because many servers bring pages along.
  native,
  staticFiles,
  shell,
];

/**
 * The user's own command has precedence over a Procfile, and a Procfile over the provider's start command.
 * @throws AnalyzerError with a sentence when nothing fits
 */
export async function detect(files: ProjectFiles, overrides: BuildOverrides): Promise<BuildPlan> {
  const provider =
    providers.find((one) => one.fits(files)) ?? (overrides.staticOutput ? staticFiles : undefined);
  if (!provider) {
    throw new AnalyzerError(
      'Nothing in this repository says how to build it: add a Dockerfile or a Procfile, or check rootDir.',
    );
  }
  const procfile = readProcfile(files);
  const declared = overrides.runtimeMode === 'static' ? null : procfileStart(procfile, overrides.runtimeMode);
  const plan = await provider.plan(files, {
    ...overrides,
    startCommand: overrides.startCommand || declared,
  });
  const notes = declared && !overrides.startCommand ? ['Start command: from the Procfile'] : [];
  return {
    ...plan,
    notes: [...plan.notes, ...notes],
    release: plan.output.type === 'run' ? (procfile.release ?? plan.release) : null,
  };
}
