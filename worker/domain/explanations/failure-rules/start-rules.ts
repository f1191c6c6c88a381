/** Docker could not start the image's program. The patterns match messages of runc and the kernel (execve(2): ENOENT, EACCES, ENOEXEC). */
import {
  changeSetting,
  deployAgain,
  publish,
  readLog,
  searchFiles,
  shellWord,
  showService,
} from './commands.ts';
import type { FailureRule } from './failure.ts';
import { has } from './files-there.ts';
import { isFromAnalyzer, nodeFiles, nodeTools } from './project-tools.ts';
import { isUpload, submit } from './source-words.ts';

const codes = ['start_failed', 'health_failed'] as const;

export const startRules: readonly FailureRule[] = [
  {
    id: 'wrong-architecture',
    codes: ['start_failed', 'health_failed', 'build_failed'],
    says: /exec format error|cannot execute binary file/i,
    explain: () => ({
      summary: 'The program was built for a different processor, or is not executable.',
      likelyCause:
        'The image or a binary in it was built for another architecture (for example on an ARM laptop for an x86 server), or a script without "#!" in its first line was started directly.',
      suggestedFix: 'Build for the architecture of the host, and start scripts with #!/bin/sh.',
      steps: [
        'docker buildx build --platform linux/amd64,linux/arm64 -t <image>:<tag> --push .',
        'uname -m',
        deployAgain,
      ],
    }),
  },
  {
    id: 'start-permission-denied',
    codes,
    says: /exec: "(?<name>[^"]+)": permission denied|exec (?<path>\S+): permission denied|^(?:\/bin\/sh|sh|bash): (?:\d+: |line \d+: )?(?<script>\S+): Permission denied/,
    explain: ({ groups }, failure) => {
      const file = groups.name || groups.path || groups.script || 'the start script';
      return {
        summary: `${file} is not executable.`,
        likelyCause:
          'The file lacks the executable bit, which copies through Windows lose. Or it is a directory.',
        suggestedFix: 'Set the bit, or set it with RUN chmod +x in the Dockerfile.',
        steps: [
          isUpload(failure) ? 'chmod +x <file>' : 'git update-index --chmod=+x <file>',
          ...publish(failure, ['<file>'], 'Make the start script executable'),
        ],
      };
    },
  },
  {
    id: 'development-program-removed',
    codes,
    says: /^(?:\/bin\/)?(?:sh|bash|ash): (?:\d+: |line \d+: |exec: (?:line \d+: )?)?(?<name>[\w.@-]+): (?:command )?not found/,
    // The analyzer removes development dependencies after a build.
    fits: (_, failure) => isFromAnalyzer(failure) && has(failure, 'package.json'),
    explain: ({ groups: { name = '' } }, failure) => {
      const release = /^The release step "/.test(failure.message);
      const what = release ? 'release command' : failure.what.kind === 'run' ? 'command' : 'start command';
      return {
        summary: `The ${what} needs the program ${name}, which is not in the image.`,
        likelyCause:
          'The programs of packages in devDependencies are removed after the build, unless the start or release command names them or a script that calls them. Otherwise no package of package.json has this program.',
        suggestedFix: `Move the package of ${name} from devDependencies to dependencies and ${submit(failure, nodeFiles(failure))}.`,
        steps: [
          searchFiles(failure, shellWord(name), 'package.json'),
          nodeTools(failure).add(shellWord(`<package of ${name}>`)),
          deployAgain,
        ],
      };
    },
  },
  {
    id: 'start-command-not-found',
    codes,
    says: /exec: "(?<name>[^"]+)": (?:executable file not found in \$PATH|stat \S+: no such file or directory)|^(?:\/bin\/)?(?:sh|bash|ash): (?:\d+: |line \d+: |exec: (?:line \d+: )?)?(?<shell>[^:\s]+): (?:command )?not found|exec (?<file>\S+): no such file or directory/,
    explain: ({ groups }, failure) => {
      const program = groups.name || groups.shell || groups.file || 'the program';
      return {
        summary: `The image does not have the program ${program}.`,
        likelyCause: groups.file
          ? 'The file is missing in the last stage, or the interpreter in its first line is missing (#!/bin/bash on alpine; a "#!" line with Windows line endings).'
          : 'The start command is mistyped, the program is not installed in the last stage, or the command is for another image.',
        suggestedFix:
          'Install the program in the last stage, call it by its full path, or correct CMD or startCommand.',
        steps: [
          searchFiles(failure, "'^(CMD|ENTRYPOINT|FROM)'", '*Dockerfile*'),
          changeSetting('startCommand', '<command>'),
          deployAgain,
        ],
      };
    },
  },
  {
    id: 'build-command-not-found',
    codes: ['build_failed'],
    says: /^(?:\/bin\/)?(?:sh|bash|ash): (?:\d+: |line \d+: )?(?<name>[^:\s]+): (?:command )?not found|exec: "(?<exec>[^"]+)": executable file not found in \$PATH/,
    explain: ({ groups }, failure) => {
      const name = groups.name || groups.exec;
      return {
        summary: `A build step needs ${name}, which the image does not have.`,
        likelyCause:
          'The base image does not include the program, a later step installs it, or it is a development dependency that was not installed.',
        suggestedFix: `Install ${name} in an earlier step (for pnpm and yarn: RUN corepack enable), or choose a base image that has it.`,
        steps: [searchFiles(failure, "'^(FROM|RUN)'", '*Dockerfile*'), deployAgain],
      };
    },
  },
];

/** Rules for a log of the release step, if any, that gave no cause. */
export const startRefusedRules: readonly FailureRule[] = [
  {
    id: 'release-failed',
    codes: ['start_failed'],
    says: /^The release step "(?<command>.+?)" (?<how>.+?)(?:; the new version was not started)?\.?$/,
    explain: ({ groups }, failure) => ({
      summary: `The release step ${groups.how}, so the old version keeps serving.`,
      likelyCause: `"${groups.command}" runs in a new container of the new image with the variables of the service, before the new version starts. It is the setting releaseCommand, or the Procfile's release. Its last lines in the log say why it failed.`,
      suggestedFix:
        'Fix what its last lines report. It must end by itself with exit code 0, and be able to run again.',
      steps: [readLog(failure), showService, deployAgain],
    }),
  },
  {
    id: 'start-refused',
    codes: ['start_failed'],
    explain: ({ line }, failure) => ({
      summary: 'Docker could not start the container.',
      likelyCause: line,
      suggestedFix:
        'Correct the command, user, working directory or limit that the message names. Test the image on your machine.',
      steps: [searchFiles(failure, "'^(CMD|ENTRYPOINT|USER|WORKDIR)'", '*Dockerfile*'), deployAgain],
    }),
  },
];
