/**
 * Rules are written for a repository with a Dockerfile. What the analyzer builds has none, and an image or a database has no repository at
 * all: then an explanation leaves out what it says about such files, and says where the same thing is changed instead. The same is done
 * with any other file of which the host has told that the source does not have it.
 */
import { namedSourceFiles } from '../../../../protocol/sources/source-files.ts';
import type { Explanation, FailedService, Failure } from './failure.ts';
import { has, isKnown } from './files-there.ts';
import { sourceName } from './source-words.ts';

/** Files of a repository that rules name. */
const repositoryFiles =
  /\b(Dockerfile|Procfile|Gemfile|package\.json|lock file|requirements\.txt|pyproject\.toml|go\.(mod|sum)|composer\.(json|lock)|next\.config\S*|pom\.xml)\b|\.(dockerignore|npmrc|nvmrc|ruby-version)\b|pip\.conf/i;
const repositoryCommands = /^(git|grep|find|chmod|sed|cat|npm|npx|pnpm|yarn|bundle|composer|go|pip|cargo)\b/;

interface Absent {
  files: RegExp;
  /** Advice to add a file does not claim that it is there. */
  keeps: RegExp | null;
  commands: RegExp;
  /** Replaces a cause whose sentences were all left out. */
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
  return has({ service }, 'Dockerfile') ? besidesDockerfile(source) : withoutDockerfile(source);
};

/**
 * The explanation without files that the service does not have.
 * @param said the host's sentence and the line that the rule found: a file that they name is no invention of the rule
 */
export function withExistingFiles(explanation: Explanation, failure: Failure, said: string): Explanation {
  const kind = absentFor(failure.service);
  const here = kind ? withoutAbsent(explanation, kind) : explanation;
  const missing = missingFiles(failure, said);
  return missing ? withoutAbsent(here, missing) : here;
}

function withoutAbsent(explanation: Explanation, absent: Absent): Explanation {
  const { summary, likelyCause, suggestedFix, commands } = explanation;
  const cause = without(likelyCause, absent);
  const fix = without(suggestedFix, absent);
  const kept = commands.filter((command) => !absent.commands.test(command));
  const isWhole = cause === likelyCause && fix === suggestedFix && kept.length === commands.length;
  if (isWhole) return explanation;
  return {
    summary,
    likelyCause: cause || absent.cause,
    suggestedFix: [fix, absent.wayOut].filter((text) => text !== '').join(' ') || 'Fix what the log reports.',
    commands: kept,
  };
}

/** Null if nothing is missing, or if that is unknown. A Dockerfile that was built is there, under any name. */
function missingFiles(failure: Failure, said: string): Absent | null {
  const { kind, detectedBuildMethod } = failure.service;
  if (!isKnown(failure) || (kind !== 'git' && kind !== 'upload')) return null;
  const missing = namedSourceFiles.filter(
    (name) =>
      !has(failure, name) && !said.includes(name) && !(name === 'Dockerfile' && detectedBuildMethod !== null),
  );
  // "a new .npmrc" and "add a Dockerfile" do not claim that there is one.
  const names = `(?<![\\w.-])(?<!\\b(?:new|[Aa]dd a) )(?:${missing.map(escaped).join('|')})(?![\\w-]|\\.\\w)`;
  return {
    files: new RegExp(names),
    keeps: null,
    // A command before it makes the file that is added.
    commands: new RegExp(`^(?!git add ).*${names}`),
    cause: `The log says: "${said.split('\n').at(-1)}".`,
    wayOut: '',
  };
}

const escaped = (text: string) => text.replaceAll('.', '\\.');

/** Removes whole sentences, so that the rest still reads well. Quotes of a log are kept, because they are what the log says. */
const without = (text: string, { files, keeps }: Absent) =>
  text
    .split(/(?<=[.:!?]"?) (?=[A-Z"])/)
    .filter((sentence) => !files.test(sentence) || sentence.startsWith('"') || keeps?.test(sentence))
    .join(' ');
