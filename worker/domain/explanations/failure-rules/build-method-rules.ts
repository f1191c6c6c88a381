/** Failures because of nothing to build, serve or run. */
import { changeSetting, deployAgain, findFiles, setVariable } from './commands.ts';
import type { Failure, FailureRule } from './failure.ts';
import { filesThere } from './files-there.ts';
import { isFromAnalyzer } from './project-tools.ts';
import { isNotThere, sourceName } from './source-words.ts';

export const buildMethodRules: readonly FailureRule[] = [
  {
    id: 'dockerfile-missing',
    codes: ['build_method_missing'],
    says: /build method is "dockerfile", but the repository has no file (?<path>.+?) in/,
    explain: ({ groups }, failure) => ({
      summary: `The ${sourceName(failure)} has no file ${groups.path}.`,
      likelyCause: `The build method is "dockerfile", which needs this file. It ${isNotThere(failure)}, is in another directory, or has another name.`,
      suggestedFix:
        'Add a Dockerfile, set dockerfilePath to the right one (relative to rootDir), or use the build method "auto".',
      steps: [
        findFiles(failure, 'Dockerfile*'),
        changeSetting('dockerfilePath', '<path>'),
        changeSetting('buildMethod', 'auto'),
        deployAgain,
      ],
    }),
  },
  {
    id: 'static-output-missing',
    codes: ['build_method_missing', 'build_failed'],
    says: /(static output (?<path>\S+) holds no index\.html|no (?<file>\S*index\.html) to serve|has no directory "(?<dir>[^"]*)" to serve|Could not find the file (?<absent>\S+) in container)/,
    explain: ({ groups }) => ({
      summary: 'There is no index.html to serve as a static site.',
      likelyCause: `The site is expected in ${groups.path || groups.file || groups.dir || groups.absent || 'the service root'}, but the build writes it elsewhere (often dist, build, out or public) or did not run.`,
      suggestedFix: 'Set staticOutput to the output directory of the build, or add a Dockerfile.',
      steps: [changeSetting('staticOutput', 'dist'), deployAgain],
    }),
  },
  {
    id: 'no-start-command',
    codes: ['build_method_missing', 'build_failed', 'start_failed'],
    says: /names no command to run|No command specified|no start command|cannot (find|determine) a start command/i,
    explain: (_, failure) => ({
      summary: 'The app has no start command.',
      likelyCause:
        failure.service.kind === 'image'
          ? 'The image has neither CMD nor ENTRYPOINT: it is a base image, not an app.'
          : isFromAnalyzer(failure)
            ? 'No start command is set, and the files name none.'
            : 'The Dockerfile has neither CMD nor ENTRYPOINT, and no start command is set or can be found.',
      suggestedFix: `${startPlaces(failure)} startCommand.`,
      steps: [changeSetting('startCommand', '<command>'), deployAgain],
    }),
  },
  {
    id: 'builder-missing',
    codes: ['build_method_missing'],
    says: /^BUILDER is "(?<builder>[^"]*)", (and this host has no (?<program>.*?): its|and must be|whose images|and other tenants)/,
    explain: ({ groups, line }) => ({
      summary: `The variable BUILDER asks for "${groups.builder}", which can't build this service here.`,
      likelyCause: groups.program ? `The host of the service has no ${groups.program}.` : line,
      suggestedFix:
        'Set BUILDER to "analyzer", which every host has. Or ask the operator of the host to install Railpack and Docker Buildx (https://railpack.com/installation).',
      steps: [setVariable('BUILDER', 'analyzer'), deployAgain],
    }),
  },
  {
    id: 'program-unknown',
    codes: ['build_method_missing'],
    says: /(?:set rootDir to (?:one of )?(?<directory>[\w@./-]*\w).*)?set the variable (?<key>GO_PACKAGE|RUST_BIN|DOTNET_PROJECT|JAVA_MODULE|NATIVE_PROGRAM)\b/,
    explain: ({ groups: { directory = '', key = '' }, line }, failure) => ({
      summary: `The ${sourceName(failure)} does not say which of its programs serves.`,
      likelyCause: line,
      suggestedFix: `${directory === '' ? 'Set' : 'Set rootDir to the directory of the program, or set'} the variable ${key} to the program that this service runs, and deploy again. Another service can run another one of the same ${sourceName(failure)}.`,
      steps: [directory === '' ? setVariable(key) : changeSetting('rootDir', directory), deployAgain],
    }),
  },
  {
    id: 'compose-not-read',
    codes: ['build_method_missing'],
    says: /(?<file>(?:docker-)?compose\.ya?ml) is not read/,
    explain: ({ groups, line }) => ({
      summary: `Longshore does not read ${groups.file}.`,
      likelyCause: line,
      suggestedFix:
        'Make a service for each entry of the file, with its image, variables and volumes: docs/guide/published-apps.md shows how. If this service has code of its own to build, add a Dockerfile, and deploy again.',
      steps: [deployAgain],
    }),
  },
  {
    id: 'root-dir-unknown',
    codes: ['build_method_missing'],
    says: /set rootDir to (?:one of )?(?<first>[\w@./-]+)/,
    explain: ({ groups, line }) => ({
      summary: 'The service root is not the directory of an app.',
      likelyCause: line,
      suggestedFix: 'Set rootDir to the directory of the app that this service runs, and deploy again.',
      steps: [changeSetting('rootDir', groups.first ?? '<directory>'), deployAgain],
    }),
  },
  {
    id: 'not-buildable-as-it-is',
    codes: ['build_method_missing'],
    says: /^(?!Nothing in |Failed \()(?<why>.+): (?<wayOut>(?:add|use|set|install|list|check|a service needs)\b.+)$/,
    explain: ({ groups, line }, failure) => ({
      summary: `The ${sourceName(failure)} can't be built as it is.`,
      likelyCause: groups.why ? `${groups.why}.` : line,
      suggestedFix: `${capitalized(groups.wayOut ?? '')} Then deploy again.`,
      steps: [deployAgain],
    }),
  },
  {
    id: 'no-build-method',
    codes: ['build_method_missing'],
    explain: ({ line }, failure) => ({
      summary: `No way to build this ${sourceName(failure)} was found.`,
      likelyCause: line,
      suggestedFix:
        'Add a Dockerfile to the service root, or set rootDir to the directory of the app (the one that lists its packages or modules).',
      steps: [`${findFiles(failure, '*')} | head -50`, changeSetting('rootDir', '<directory>'), deployAgain],
    }),
  },
];

const capitalized = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

/** Places for a start command. */
function startPlaces(failure: Failure): string {
  const script =
    filesThere(failure, ['package.json']).length > 0 ? 'a "start" script to package.json, or ' : '';
  return isFromAnalyzer(failure)
    ? `Add ${script}a Procfile (web: <command>), or set`
    : `Add CMD to the Dockerfile (for example CMD ["node", "server.js"]), ${script}or set`.replace(
        ', or or',
        ', or',
      );
}
