/**
 * Rules are written for a repository with a Dockerfile. What the analyzer builds has none, and an image or a database has no repository at
 * all: then an explanation leaves out what it says about such files, and says where the same thing is changed instead.
 */
import type { Explanation, FailedService, Failure } from './failure.ts';
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
  return detectedBuildMethod === 'analyzer' ? withoutDockerfile(sourceName({ service })) : null;
};

/** The explanation without files that the service can't have. */
export function withExistingFiles(explanation: Explanation, { service }: Failure): Explanation {
  const absent = absentFor(service);
  if (!absent) return explanation;
  const { summary, likelyCause, suggestedFix, commands } = explanation;
  const cause = without(likelyCause, absent);
  const fix = without(suggestedFix, absent);
  const kept = commands.filter((command) => !absent.commands.test(command));
  const isWhole = cause === likelyCause && fix === suggestedFix && kept.length === commands.length;
  if (isWhole) return explanation;
  return {
    summary,
    likelyCause: cause || absent.cause,
    suggestedFix: [fix, absent.wayOut].filter((text) => text !== '').join(' '),
    commands: kept,
  };
}

/** Removes whole sentences, so that the rest still reads well. Quotes of a log are kept, because they are what the log says. */
const without = (text: string, { files, keeps }: Absent) =>
  text
    .split(/(?<=[.:!?]"?) (?=[A-Z"])/)
    .filter((sentence) => !files.test(sentence) || sentence.startsWith('"') || keeps?.test(sentence))
    .join(' ');
