/**
 * The variables that the install of an analyzer's build sees: those of its tools, and those that its manifests name. Any other variable may
 * change without a new install of all dependencies, since the cache key of a step has all variables that it can see.
 */
import { posix } from 'node:path';
import type { BuildPlan, BuildStep } from './build-plan.ts';
import type { ProjectFiles } from './project-files.ts';

/** Package managers, compilers, and the set-up of packages that download or build something. */
const toolPrefixes =
  /^(npm_|NPM_|NODE_|YARN_|PNPM_|BUN_|COREPACK_|DENO_|JSR_|PIP_|PIPENV_|UV_|POETRY_|PDM_|PYTHON|VIRTUAL_?ENV|GO|CGO_|CARGO_|RUST|BUNDLE_|GEM_|RUBY|COMPOSER_|PHP_|MAVEN_|MVN_|GRADLE_|ORG_GRADLE_|JAVA_|JDK_|SBT_|COURSIER_|MIX_|HEX_|ELIXIR_|ERL_|NUGET_|DOTNET_|MSBUILD|VSS_NUGET_|GIT_|SSH_|SSL_|CURL_|REQUESTS_|CMAKE_|PKG_CONFIG|LC_|CYPRESS_|PUPPETEER_|PLAYWRIGHT_|ELECTRON_|SENTRYCLI_|SHARP_|PRISMA_|SWC_|SASS_|ESBUILD_|CHROMEDRIVER_|GECKODRIVER_|FFMPEG_|ONNXRUNTIME_|TORCH_|SETUPTOOLS_|OPENSSL_|TURBO_|NX_|HUSKY)/;
const toolNames =
  /^(CI|HUSKY|LANG|LANGUAGE|TMPDIR|CC|CXX|AR|LD|CFLAGS|CXXFLAGS|CPPFLAGS|LDFLAGS|MAKE|MAKEFLAGS|NETRC|GITHUB_TOKEN|GH_TOKEN|GITLAB_TOKEN|CI_JOB_TOKEN|https?_proxy|ftp_proxy|no_proxy|all_proxy|HTTPS?_PROXY|FTP_PROXY|NO_PROXY|ALL_PROXY)$/;
/** Switches and mirrors of packages that download a program. */
const downloads =
  /(_SKIP_\w*DOWNLOAD|_SKIP_DOWNLOAD|_DOWNLOAD_\w+|_BINARY_\w+|_MIRROR|_CDNURL|_REGISTRY\w*|_INDEX_URL)$/;

/** Keeps a file of many words from holding up the runner. */
const charactersMax = 1024 * 1024;

/**
 * The names among `variables` that the steps before the copy of the source can use.
 * @param files of the plan's scope
 */
export function installVariables(
  { build }: Pick<BuildPlan, 'build'>,
  files: Pick<ProjectFiles, 'read'>,
  variables: readonly string[],
): string[] {
  const named = new Set(
    stepsBeforeSource(build.steps)
      .flatMap((step) => (step.type === 'copy' ? step.paths : []))
      .flatMap((path) => (files.read(path) ?? '').slice(0, charactersMax).match(/[A-Za-z_]\w*/g) ?? []),
  );
  return variables.filter(
    (name) => toolPrefixes.test(name) || toolNames.test(name) || downloads.test(name) || named.has(name),
  );
}

/** The steps that see only manifests. None if a step may read any file from the start. */
export function stepsBeforeSource(steps: readonly BuildStep[]): readonly BuildStep[] {
  const copiesAll = (step: BuildStep) => step.type === 'copy' && step.paths.includes('.');
  const at = steps.findIndex(copiesAll);
  if (at >= 0) return steps.slice(0, at);
  const hasDirectories = steps.some(
    (step) => step.type === 'copy' && step.paths.some((path) => path.endsWith('/')),
  );
  return hasDirectories ? [] : steps;
}

/** Variables of installs whose value is a path: `PIP_FIND_LINKS`, `UV_CONSTRAINT`, `NPM_CONFIG_USERCONFIG`, `NODE_EXTRA_CA_CERTS`. */
const pathNames =
  /^(PIP|UV|POETRY|NPM_CONFIG|YARN|BUN|NODE)_\w*(FIND_LINKS|CONSTRAINTS?|OVERRIDES?|CONFIG(_FILE)?|CAFILE|CERTS?)$/i;

/** True if such a variable names a file or directory of the source, which the install then has to see. The install runs in /app. */
export const readsSourceByVariable = (
  files: Pick<ProjectFiles, 'has' | 'list'>,
  env: Readonly<Record<string, string>>,
): boolean =>
  Object.entries(env)
    .filter(([name]) => pathNames.test(name))
    .flatMap(([, value]) => value.split(/\s+/).filter((path) => path !== ''))
    .map((path) => posix.normalize(path.replace(/^file:\/\//, '').replace(/^\/app(\/|$)/, './')))
    .some((path) => !/^(\/|\.\.)/.test(path) && (files.has(path) || files.list(path).length > 0));
