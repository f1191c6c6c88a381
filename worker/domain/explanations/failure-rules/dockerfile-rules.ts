/** Errors in the Dockerfile itself, before or between its commands. */
import { changeSetting, deployAgain, findFiles, searchFiles, shellWord } from './commands.ts';
import type { Failure, FailureRule } from './failure.ts';
import { filesThere } from './files-there.ts';
import { showIgnoreFiles } from './project-tools.ts';
import { isNotThere, submit } from './source-words.ts';

const codes = ['build_failed'] as const;

const ignoreFile = (failure: Failure) => filesThere(failure, ['.dockerignore'])[0];
const mayBeExcluded = (failure: Failure) => (ignoreFile(failure) ? 'is excluded by .dockerignore, ' : '');

export const dockerfileRules: readonly FailureRule[] = [
  {
    id: 'dockerfile-syntax',
    codes,
    says: /[Dd]ockerfile parse error(?: on)? line (?<line>\d+): (?<what>.+)|(?<empty>the Dockerfile.* cannot be empty|file with no instructions)/,
    explain: ({ groups }, failure) => ({
      summary: groups.line
        ? `The Dockerfile has an error on line ${groups.line}: ${groups.what}.`
        : 'The Dockerfile is empty.',
      likelyCause:
        'The builder could not read the file: a mistyped instruction, a missing backslash at the end of a line, or a missing argument.',
      suggestedFix: `Fix the line, test the build on your machine, and ${submit(failure, 'the Dockerfile')}.`,
      steps: [
        `docker build --check -f ${shellWord(failure.service.dockerfilePath ?? 'Dockerfile')} .`,
        deployAgain,
      ],
    }),
  },
  {
    id: 'copy-source-missing',
    codes,
    says: /failed to (?:compute cache key|calculate checksum of ref).*"(?<path>[^"]+)":? not found|(?:COPY|ADD) failed: (?:file not found in build context.*?stat |.*no such file or directory.*?)(?<classic>[^:\s]+)?/,
    explain: ({ groups }, failure) => {
      const path = groups.path || groups.classic || 'a file';
      return {
        summary: `The Dockerfile copies ${path}, which is not in the build context.`,
        likelyCause: `The file ${isNotThere(failure)}, is only generated on your machine, ${mayBeExcluded(failure)}or its path is not relative to the service root.`,
        suggestedFix: `Generate the file in an earlier step of the Dockerfile, correct the path${ignoreFile(failure) ? ', .dockerignore' : ''} or rootDir, or ${submit(failure, 'the file')}.`,
        steps: [
          findFiles(failure, path.split('/').at(-1) || path),
          showIgnoreFiles(failure),
          changeSetting('rootDir', '<directory>'),
          deployAgain,
        ],
      };
    },
  },
  {
    id: 'build-stage-unknown',
    codes,
    says: /(?:invalid from flag value (?<flag>\S+)|target stage (?<stage>\S+) could not be found|failed to parse stage name "(?<name>[^"]*)")/,
    explain: ({ line }, failure) => ({
      summary: 'The Dockerfile refers to a stage or an image that does not exist.',
      likelyCause: `"${line}". A stage of COPY --from or FROM is mistyped, or comes later in the file.`,
      suggestedFix: 'Define the stage in an earlier FROM ... AS <name>, and use exactly that name.',
      steps: [searchFiles(failure, "'^(FROM|COPY --from)'", '*Dockerfile*'), deployAgain],
    }),
  },
];
