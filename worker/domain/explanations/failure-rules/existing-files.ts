/**
 * Rules are written for a repository with a Dockerfile. A source that the analyzer builds has none, and an image or a database has no
 * repository at all. The explanation then omits sentences about such files, and mentions where to change the setting instead. The same
 * applies to every other file that the host reported as absent from the source.
 */
import { dockerfileNames, namedSourceFiles } from '../../../../protocol/sources/source-files.ts';
import type { Diagnosis, FailedService, Failure } from './failure.ts';
import { has, isKnown } from './files-there.ts';
import { sourceName } from './source-words.ts';

/** Files of a repository that rules mention. */
const repositoryFiles =
  /\b(Dockerfile|Procfile|Gemfile|package\.json|lock file|requirements\.txt|pyproject\.toml|go\.(mod|sum)|composer\.(json|lock)|next\.config\S*|pom\.xml)\b|\.(dockerignore|npmrc|nvmrc|ruby-version)\b|pip\.conf/i;
const repositoryCommands = /^(git|grep|find|chmod|sed|cat|npm|npx|pnpm|yarn|bundle|composer|go|pip|cargo)\b/;

interface Absent {
  files: RegExp;
  /** Advice to add a file does not claim that the file exists. */
  keeps: RegExp | null;
  commands: RegExp;
  /** Replaces the cause if all its sentences were left out. */
  cause: string;
  wayOut: string;
}

const withoutDockerfile = (source: string): Absent => ({
  files: /Dockerfile/,
  keeps: /\b(add|push) a Dockerfile\b/i,
  commands: /Dockerfile/,
  cause: `The platform made the image from what it found in the ${source}.`,
  wayOut: `This ${source} has no Dockerfile: the platform made one from what it found. Change it through installCommand, buildCommand and startCommand, APT_PACKAGES and the version files of the language, or add a Dockerfile of your own.`,
});

const besidesDockerfile = (source: string): Absent => ({
  ...withoutDockerfile(source),
  wayOut: `The analyzer made the image from what it found in the ${source}. Change it through installCommand, buildCommand and startCommand, APT_PACKAGES and the version files of the language, or set buildMethod to "auto", which builds the Dockerfile.`,
});

const withoutRepository = {
  files: repositoryFiles,
  keeps: null,
  commands: repositoryCommands,
  cause: 'The image is made like this, or its settings do not fit it.',
};

const absentFor = (service: FailedService): Absent | null => {
  const { kind, detectedBuildMethod } = service;
  if (kind === 'image') {
    const wayOut =
      'The service runs a finished image: use a tag of it that fits, or set command, entrypoint, user, volumes and variables of the service.';
    return { ...withoutRepository, wayOut };
  }
  if (kind === 'database') {
    const wayOut =
      "The image is the platform's choice or the service's imageRef: deploy again, or set imageRef to one that fits.";
    return { ...withoutRepository, wayOut };
  }
  if (detectedBuildMethod !== 'analyzer') return null;
  const source = sourceName({ service });
  return ownDockerfile({ service }) ? besidesDockerfile(source) : withoutDockerfile(source);
};

/**
 * The explanation without files that the service does not have.
 * @param said the host's message and the line that the rule found: a file mentioned there is not the rule's own assumption
 */
export function withExistingFiles(diagnosis: Diagnosis, failure: Failure, said: string): Diagnosis {
  const kind = absentFor(failure.service);
  const here = kind ? withoutAbsent(diagnosis, kind) : diagnosis;
  const missing = missingFiles(failure, said);
  return withDockerfileName(missing ? withoutAbsent(here, missing) : here, failure);
}

const ownDockerfile = (failure: Pick<Failure, 'service'>) =>
  dockerfileNames.find((name) => has(failure, name));

/** Rules say Dockerfile; some repositories call it otherwise. */
function withDockerfileName(diagnosis: Diagnosis, failure: Failure): Diagnosis {
  const own = failure.service.detectedBuildMethod === 'analyzer' ? undefined : ownDockerfile(failure);
  if (own === undefined || own === 'Dockerfile' || failure.service.dockerfilePath !== null) return diagnosis;
  const named = (text: string) => text.replaceAll('Dockerfile', own);
  const { summary, likelyCause, suggestedFix, steps } = diagnosis;
  return {
    summary: named(summary),
    likelyCause: named(likelyCause),
    suggestedFix: named(suggestedFix),
    steps: steps.map((step) => (typeof step === 'string' ? named(step) : step)),
  };
}

function withoutAbsent(diagnosis: Diagnosis, absent: Absent): Diagnosis {
  const { summary, likelyCause, suggestedFix, steps } = diagnosis;
  const cause = without(likelyCause, absent);
  const fix = without(suggestedFix, absent);
  const kept = steps.filter((step) => typeof step !== 'string' || !absent.commands.test(step));
  const isWhole = cause === likelyCause && fix === suggestedFix && kept.length === steps.length;
  if (isWhole) return diagnosis;
  return {
    summary,
    likelyCause: cause || absent.cause,
    suggestedFix: [fix, absent.wayOut].filter((text) => text !== '').join(' ') || 'Fix what the log reports.',
    steps: kept,
  };
}

/** Null if no file is missing, or if that is unknown. A Dockerfile that was built exists, under any name. */
function missingFiles(failure: Failure, said: string): Absent | null {
  const { kind, detectedBuildMethod } = failure.service;
  if (!isKnown(failure) || (kind !== 'git' && kind !== 'upload')) return null;
  const hasDockerfile = detectedBuildMethod !== null || ownDockerfile(failure) !== undefined;
  const isDockerfile = (name: string) => dockerfileNames.some((one) => one === name);
  const missing = namedSourceFiles.filter(
    (name) => !has(failure, name) && !said.includes(name) && !(hasDockerfile && isDockerfile(name)),
  );
  // "a new .npmrc" and "add a Dockerfile" do not claim that the file exists.
  const names = `(?<![\\w.-])(?<!\\b(?:new|[Aa]dd a) )(?:${missing.map(escaped).join('|')})(?![\\w-]|\\.\\w)`;
  return {
    files: new RegExp(names),
    keeps: null,
    // An earlier command creates the file that is added.
    commands: new RegExp(`^(?!git add ).*${names}`),
    cause: `The log says: "${said.split('\n').at(-1)}".`,
    wayOut: '',
  };
}

const escaped = (text: string) => text.replaceAll('.', '\\.');

/** Removes whole sentences, so that the rest is still readable. Quotes of a log remain, because they are facts. */
const without = (text: string, { files, keeps }: Absent) =>
  text
    .split(/(?<=[.:!?]"?) (?=[A-Z"])/)
    .filter((sentence) => !files.test(sentence) || sentence.startsWith('"') || keeps?.test(sentence))
    .join(' ');
