/** The image lacks a module or library that the app loads at its start. */
import { deployAgain, publish, readLog, searchFiles, shellWord } from './commands.ts';
import type { Failure, FailureRule } from './failure.ts';
import { has, ownOrNew } from './files-there.ts';
import { isFromAnalyzer, nodeFiles, nodeTools, pythonTools } from './project-tools.ts';
import { isNotThere, submit } from './source-words.ts';

const codes = ['health_failed', 'start_failed', 'build_failed'] as const;

export const missingModuleRules: readonly FailureRule[] = [
  {
    id: 'missing-module-node',
    codes,
    says: /(?<!error TS\d+: )Cannot find (?:module|package) '(?<name>[^']+)'/,
    explain: ({ groups }, failure) => {
      const name = groups.name ?? '';
      const isFile = /^[./]/.test(name);
      return {
        summary: isFile ? `Node did not find the file ${name}.` : `Node did not find the package ${name}.`,
        likelyCause: isFile
          ? `The app needs a file that is not in the image: the build did not run, writes elsewhere, or its output was not copied into the last stage.${ofSubmodules(failure)}`
          : 'The package is not in "dependencies" (production installs skip development dependencies), or node_modules was not copied into the last stage.',
        suggestedFix: isFile
          ? 'Check where the build writes the file, and correct CMD, the start command or the COPY of the last stage.'
          : `Add the package to "dependencies" and ${submit(failure, nodeFiles(failure))}.`,
        steps: isFile
          ? [
              'npm run build && ls dist build 2>/dev/null',
              searchFiles(failure, "'^(COPY|CMD)'", '*Dockerfile*'),
              deployAgain,
            ]
          : [
              nodeTools(failure).add(
                shellWord(
                  name
                    .split('/')
                    .slice(0, name.startsWith('@') ? 2 : 1)
                    .join('/'),
                ),
              ),
              deployAgain,
            ],
      };
    },
  },
  {
    id: 'missing-module-python',
    codes,
    says: /ModuleNotFoundError: No module named '(?<name>[^']+)'|ImportError: (?<import>.+)/,
    explain: ({ groups, line }, failure) => ({
      summary: groups.name
        ? `Python did not find the module ${groups.name}.`
        : `Python could not import: ${groups.import}.`,
      likelyCause: groups.name
        ? `The package is not in ${listOf(failure)}, has a different name there than in the code, or the app is started from another directory.${ofSubmodules(failure)}`
        : `"${line}". The installed version of a package does not match the code, or a system library is missing.`,
      suggestedFix: `Add the package, or pin a matching version. For a module of your own, check ${isFromAnalyzer(failure) ? '' : 'WORKDIR, '}rootDir and the start command.`,
      steps: [...addPythonPackage(failure, groups.name), deployAgain],
    }),
  },
  {
    id: 'missing-module-go',
    codes,
    says: /no required module provides package (?<name>[^\s;:]+)|package (?<old>\S+) is not in (?:std|GOROOT)/,
    explain: ({ groups }, failure) => ({
      summary: `Go did not find the package ${groups.name || groups.old}.`,
      likelyCause: `go.mod does not require it, or it belongs to the project and ${isNotThere(failure)}, or is not copied.`,
      suggestedFix: `Add it with "go get", run "go mod tidy", and ${submit(failure, 'go.mod and go.sum')}.`,
      steps: [
        `go get ${shellWord(groups.name || groups.old || '')}`,
        'go mod tidy',
        ...publish(failure, ['go.mod', 'go.sum'], 'Require the package'),
      ],
    }),
  },
  {
    id: 'missing-module-php',
    codes,
    says: /(?:Failed to open stream: No such file or directory|failed opening required|Failed opening required).*?(?<file>vendor\/autoload\.php)?|Uncaught Error: (?:Class|Interface|Trait) "(?<name>[^"]+)" not found|Uncaught Error: Call to undefined function (?<call>[\w\\]+)/i,
    explain: ({ line, groups }, failure) => ({
      summary: `PHP did not find ${groups.name ? `the class ${groups.name}` : groups.call ? `the function ${groups.call}` : 'a file that the app loads'}.`,
      likelyCause: `"${line}". "composer install" did not run in the image, the autoloader is out of date, or an extension is missing.`,
      suggestedFix: isFromAnalyzer(failure)
        ? `Require the package, and the extension that the function belongs to (ext-<name>), in ${ownOrNew(failure, 'composer.json')}: the platform installs both.`
        : 'Run "composer install --no-dev --optimize-autoloader" in the Dockerfile, and install the extension that the function belongs to.',
      steps: ['composer check-platform-reqs', 'composer dump-autoload', deployAgain],
    }),
  },
  {
    id: 'missing-module-ruby',
    codes,
    says: /cannot load such file -- (?<name>\S+)|Could not find (?<gem>\S+) in (?:any of the sources|locally installed gems)|can't find gem (?<missing>\S+)/,
    explain: ({ groups }, failure) => ({
      summary: `Ruby did not find ${groups.name || groups.gem || groups.missing}.`,
      likelyCause:
        'The gem is not in the Gemfile, is in a group that is not installed (development, test), or the app is not started through Bundler.',
      suggestedFix: `Move the gem to the default group, start with "bundle exec", and ${submit(failure, 'Gemfile and Gemfile.lock')}.`,
      steps: ['bundle install', ...publish(failure, ['Gemfile', 'Gemfile.lock'], 'Move the gem')],
    }),
  },
  {
    id: 'missing-module-java',
    codes: ['health_failed', 'start_failed'],
    says: /Could not find or load main class (?<main>\S+)|Unable to access jarfile (?<jar>\S+)|no main manifest attribute, in (?<manifest>\S+)|java\.lang\.(?:ClassNotFoundException|NoClassDefFoundError): (?<name>\S+)/,
    explain: ({ line, groups }, failure) => ({
      summary: groups.jar ? `Java did not find ${groups.jar}.` : 'Java could not load the main class.',
      likelyCause: `"${line}". CMD has the wrong name or path of the jar, or the jar is not executable ("fat") or lacks a dependency.`,
      suggestedFix:
        'Copy the executable jar under a fixed name (COPY target/*.jar /app.jar), and let the build set Main-Class (Spring Boot, Shadow or Assembly plugin).',
      steps: [
        'jar tf target/*.jar | head',
        searchFiles(failure, "'^(COPY|CMD|ENTRYPOINT)'", '*Dockerfile*'),
        deployAgain,
      ],
    }),
  },
  {
    id: 'shared-library-missing',
    codes,
    says: /error while loading shared libraries: (?<name>\S+?):|(?:^|\s)(?<dlopen>\S+\.so[\d.]*): cannot open shared object file|version `(?<glibc>GLIBC_[\d.]+)' not found|Error loading shared library (?<musl>\S+?):/,
    explain: ({ groups, line }, failure) => ({
      summary: groups.glibc
        ? `The program needs a newer system library (${groups.glibc}).`
        : `The image lacks the system library ${groups.name || groups.dlopen || groups.musl}.`,
      likelyCause: `"${line}". The program was built on a different distribution than it runs on, or the library's package is not installed in the last stage.`,
      suggestedFix:
        'Build and run on the same base image, or install the library in the last stage. On alpine, use images and packages for musl.',
      steps: [searchFiles(failure, "'^FROM'", '*Dockerfile*'), readLog(failure), deployAgain],
    }),
  },
];

/** Explains that files which were not fetched are missing. */
const ofSubmodules = (failure: Failure): string =>
  has(failure, '.gitmodules')
    ? ' The repository has submodules: without the variable GIT_SUBMODULES their directories are empty.'
    : '';

/** The place where the project lists its packages. */
const listOf = (failure: Failure): string =>
  failure.service.sourceFiles === null
    ? 'requirements.txt (or pyproject.toml)'
    : (pythonTools(failure).manifest ?? 'the list of packages that the build installs');

/** The last parts of a dotted module name are inside its package. */
function addPythonPackage(failure: Failure, module: string | undefined): string[] {
  const { manifest, add } = pythonTools(failure);
  const name = shellWord(module?.split('.')[0] || '<package>');
  return [add(name), ...(manifest === null ? [] : [`cat ${manifest}`])];
}
