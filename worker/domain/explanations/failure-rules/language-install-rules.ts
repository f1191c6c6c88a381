/** Failed dependency installs of pip, Bundler, Composer, Go modules, Cargo, Maven and Gradle. */
import {
  deployAgain,
  findFiles,
  publish,
  searchFiles,
  setVariable,
  shellWord,
  showService,
} from './commands.ts';
import type { Diagnosis, Failure, FailureRule } from './failure.ts';
import { filesThere, ownOrNew } from './files-there.ts';
import {
  addSystemPackages,
  changeVersion,
  isFromAnalyzer,
  jvmDependencies,
  versionPlace,
} from './project-tools.ts';
import { isNotThere, submit } from './source-words.ts';

const codes = ['build_failed'] as const;

/** The places where the analyzer finds the versions. */
const pythonVersion = {
  variable: 'PYTHON_VERSION',
  files: ['.python-version', 'Pipfile', 'pyproject.toml'],
  image: 'python',
} as const;
const rubyVersion = { variable: 'RUBY_VERSION', files: ['.ruby-version'], image: 'ruby' } as const;
const goVersion = { variable: 'GO_VERSION', files: ['go.mod'], image: 'golang' } as const;
const rustVersion = { variable: 'RUST_VERSION', files: [], image: 'rust' } as const;
const javaVersion = { variable: 'JAVA_VERSION', files: ['pom.xml'], image: 'eclipse-temurin' } as const;

export const languageInstallRules: readonly FailureRule[] = [
  {
    id: 'pip-requirements-missing',
    codes,
    says: /Could not open requirements file: .*'(?<file>[^']+)'/,
    explain: ({ groups }, failure) => ({
      summary: `pip did not find ${groups.file}.`,
      likelyCause: `The file ${isNotThere(failure)}, is in another directory, or is copied after "pip install".`,
      suggestedFix: `Make sure that ${groups.file} is there before the install, and check rootDir.`,
      steps: [
        findFiles(failure, groups.file ?? ''),
        `pip freeze > ${shellWord(groups.file ?? 'requirements.txt')}`,
        deployAgain,
      ],
    }),
  },
  {
    id: 'pip-no-distribution',
    codes,
    says: /No matching distribution found for (?<spec>.+)|Could not find a version that satisfies the requirement (?<other>\S+)/,
    explain: ({ groups }, failure) => {
      const spec = groups.spec || groups.other || '';
      const name = spec.split(/[=<>!~[; ]/)[0] ?? spec;
      const none = foundNone(failure, spec, name);
      if (none) return none;
      return {
        summary: `pip found no release of ${spec} for this version of Python.`,
        likelyCause:
          'The version does not exist, does not support the Python version or processor of the image, or the package is private.',
        suggestedFix: `Choose another version of the package, or another Python ${versionPlace(failure, pythonVersion)}.`,
        steps: [
          `pip index versions ${shellWord(name)}`,
          changeVersion(failure, pythonVersion.variable),
          deployAgain,
        ],
      };
    },
  },
  {
    id: 'pip-externally-managed',
    codes,
    says: /externally-managed-environment/,
    explain: (_, failure) => ({
      summary: 'pip is not allowed to install into the system Python.',
      likelyCause: 'The image uses the Python of its distribution, which is protected against pip (PEP 668).',
      suggestedFix:
        'Start FROM python:<version>-slim, or install into a virtual environment: python3 -m venv /venv.',
      steps: [searchFiles(failure, "'^FROM|pip install'", '*Dockerfile*'), deployAgain],
    }),
  },
  {
    id: 'pip-build-failed',
    codes,
    says: /error: subprocess-exited-with-error|Failed building wheel for (?<name>\S+)|Failed to build installable wheels|pg_config executable not found|mysql_config: not found/,
    explain: ({ line, groups }, failure) => ({
      summary: `pip could not build ${groups.name || 'a package'} from its source.`,
      likelyCause: `"${line}". There is no wheel for this Python version and platform, and the image has no compiler or headers to build one.`,
      suggestedFix:
        'Use a version with wheels (psycopg2-binary instead of psycopg2), another Python version, or install build-essential and the headers first.',
      steps: [
        addSystemPackages(failure, 'build-essential'),
        `pip download --only-binary=:all: --no-deps ${shellWord(groups.name || '<package>')}`,
        deployAgain,
      ],
    }),
  },
  {
    id: 'ruby-version',
    codes: ['build_failed', 'health_failed'],
    says: /Your Ruby version is (?<has>[\w.]+), but your Gemfile specified (?<wants>.+)/,
    explain: ({ groups }, failure) => ({
      summary: `The Gemfile requires Ruby ${groups.wants}, but the image has ${groups.has}.`,
      likelyCause: 'The version of the image and the one in the Gemfile are different.',
      suggestedFix: `Choose the version of the Gemfile ${versionPlace(failure, rubyVersion)}.`,
      steps: [
        changeVersion(failure, rubyVersion.variable),
        searchFiles(failure, "'^ruby '", 'Gemfile'),
        deployAgain,
      ],
    }),
  },
  {
    id: 'bundler-failed',
    codes,
    says: /Could not find gem '|Bundler could not find compatible versions|Could not find compatible versions|gemspecs? for .* changed|but the lockfile (?:is frozen|can't be updated)|An error occurred while installing (?<gem>\S+)|Your bundle only supports platforms|frozen mode/,
    explain: ({ line }, failure) => ({
      summary: 'Bundler could not install the gems.',
      likelyCause: `"${line}". Gemfile and lock file do not match, the lock file lacks the Linux platform, or a gem needs system libraries.`,
      suggestedFix: `Update the lock file for Linux and ${submit(failure, 'it')}. Install the libraries that native gems need (libpq-dev, libyaml-dev)${isFromAnalyzer(failure) ? ' by the variable APT_PACKAGES' : ''}.`,
      steps: [
        'bundle lock --add-platform x86_64-linux aarch64-linux',
        ...publish(failure, ['Gemfile.lock'], 'Lock gems'),
      ],
    }),
  },
  {
    id: 'composer-failed',
    codes,
    says: /requirements could not be resolved to an installable set of packages|lock file does not contain a compatible set of packages|requires ext-(?<ext>\w+)|Your Composer dependencies require a PHP version/,
    explain: ({ line, groups }, failure) => ({
      summary: 'Composer found no compatible set of packages.',
      likelyCause: `"${line}". The PHP version or an extension${groups.ext ? ` (${groups.ext})` : ''} of the image is not what a package requires, or the lock file is out of date.`,
      suggestedFix: `${isFromAnalyzer(failure) ? `Require the extension in ${ownOrNew(failure, 'composer.json')} (ext-<name>), which installs it, choose another PHP by the variable PHP_VERSION` : 'Install the extension in the Dockerfile (docker-php-ext-install), use the right PHP image'}, or update the lock file.`,
      steps: ['composer check-platform-reqs', 'composer update --lock', deployAgain],
    }),
  },
  {
    id: 'go-modules',
    codes,
    says: /missing go\.sum entry|go\.mod requires go >= (?<version>[\d.]+)|go: updates to go\.mod needed|go: go\.mod file not found|invalid go version|verifying \S+: checksum mismatch/,
    explain: ({ line, groups }, failure) => ({
      summary: groups.version
        ? `The module requires Go ${groups.version} or newer.`
        : `${filesThere(failure, ['go.mod', 'go.sum']).join(' and ') || 'The list of modules'} does not fit the code.`,
      likelyCause: `"${line}".`,
      suggestedFix: groups.version
        ? `Choose Go ${groups.version} or newer ${versionPlace(failure, goVersion)}.`
        : `Run "go mod tidy" and ${submit(failure, 'both files')}. In the Dockerfile, copy both before "go mod download".`,
      steps: groups.version
        ? [changeVersion(failure, goVersion.variable), deployAgain]
        : ['go mod tidy', ...publish(failure, ['go.mod', 'go.sum'], 'Tidy modules')],
    }),
  },
  {
    id: 'cargo-failed',
    codes,
    says: /lock file .* (?:needs to be updated but|because) --locked was passed|no matching package named `(?<name>[^`]+)` found|failed to select a version for|requires rustc (?<rustc>[\d.]+)|lock file version \S+ requires/,
    explain: ({ line }, failure) => ({
      summary: 'Cargo could not resolve the dependencies.',
      likelyCause: `"${line}". The lock file is missing or out of date, a crate does not exist, or a crate requires a newer Rust than the image has.`,
      suggestedFix: `Update the lock file and ${submit(failure, 'it')}, or choose a newer Rust ${versionPlace(failure, rustVersion)}.`,
      steps: ['cargo update --workspace', ...publish(failure, ['Cargo.lock'], 'Update Cargo.lock')],
    }),
  },
  {
    id: 'jvm-build-failed',
    codes,
    says: /Could not resolve dependencies for project|Could not find artifact (?<artifact>\S+)|Could not resolve all (?:files|dependencies|artifacts) for configuration|Unsupported class file major version|release version (?<release>\d+) not supported|invalid target release: (?<target>\d+)/,
    explain: ({ line }, failure) => ({
      summary: 'Maven or Gradle could not prepare the build.',
      likelyCause: `"${line}". An artifact is missing or private, or the image does not have the JDK version that the build requires.`,
      suggestedFix: `Correct the artifact coordinates or the repositories, or choose the right JDK ${versionPlace(failure, javaVersion)}.`,
      steps: [changeVersion(failure, javaVersion.variable), jvmDependencies(failure), deployAgain],
    }),
  },
];

/** pip lists the releases that it looked at: none without an index, whatever the version of Python is. */
function foundNone(failure: Failure, spec: string, name: string): Diagnosis | null {
  const says = (text: RegExp) => failure.lines.some((line) => text.test(line));
  const asksNoIndex = says(/\bPIP_NO_INDEX\b|--no-index\b/);
  const found = says(/\(from versions: (?!none)/) || says(/require a different python version/i);
  if (!asksNoIndex && (found || !says(/\(from versions: none\)/))) return null;
  const files = 'PIP_FIND_LINKS, or --find-links in requirements.txt';
  return {
    summary: asksNoIndex
      ? `pip asked no package index, and found no file of ${spec}.`
      : `pip found no release of ${spec} at all.`,
    likelyCause: asksNoIndex
      ? `PIP_NO_INDEX or --no-index keeps pip from asking an index, and the folders of ${files}, have no such package.`
      : `The index has no package ${name}: the name is wrong, or the package is private. Or pip asked no index, because the variable PIP_NO_INDEX is set.`,
    suggestedFix: asksNoIndex
      ? `Remove PIP_NO_INDEX and --no-index, or add the package to a folder that pip reads (${files}), and deploy again.`
      : 'Correct the name, or name the index that has the package (PIP_INDEX_URL, PIP_EXTRA_INDEX_URL). Remove PIP_NO_INDEX if it is set.',
    steps: [`pip index versions ${shellWord(name)}`, showService, setVariable('PIP_INDEX_URL'), deployAgain],
  };
}
