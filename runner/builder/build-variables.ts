/**
 * The variables of a service that its build can see. Frameworks read their variables during the build: NEXT_PUBLIC_API, or DATABASE_URL for
 * prerendered pages.
 *
 * The variables are passed as build arguments, which BuildKit keeps out of the images of later stages. The classic builder writes them into
 * the history of intermediate images, which stay on the host, so it only gets variables that end up in pages anyway.
 */
import { type ContainerSettings, nameInContainer } from '../../protocol/container-settings.ts';
import type { DeploySecrets } from '../../protocol/job-spec.ts';
import { buildEnvOf, type ScopedVariables } from '../../protocol/variable-scope.ts';
import type { Builder } from '../docker/image-build/builder.ts';
import { isBuildersOwn } from './dockerfile/reserved-names.ts';
import { isForRunOnly } from './runtime-variables.ts';

/** Prefixes of variables that frameworks send to browsers. */
const publicPrefixes =
  /^(NEXT_PUBLIC|NUXT_PUBLIC|VITE|PUBLIC|REACT_APP|VUE_APP|GATSBY|EXPO_PUBLIC|NG_APP|STORYBOOK|ASTRO_PUBLIC)_/;

/** Variables that would break the build's own tools. */
const ownOfTheImage = new Set(['PATH', 'HOME', 'LD_PRELOAD', 'LD_LIBRARY_PATH']);

/** The service's variables that its build gets, sorted by name. */
export function buildVariables(variables: ScopedVariables, builder: Builder): Record<string, string> {
  const isChosen = chosenForBuild(variables);
  return Object.fromEntries(
    Object.entries(buildEnvOf(variables))
      .filter(([name]) => !ownOfTheImage.has(name) && !isBuildersOwn(name))
      .filter(([name, value]) => isChosen(name) || !isForRunOnly(name, value))
      .filter(([name]) => builder === 'buildkit' || publicPrefixes.test(name))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** The user's choice takes precedence over the rule for variables that would break tools of a build. */
const chosenForBuild =
  ({ buildOnly = {} }: ScopedVariables) =>
  (name: string) =>
    Object.hasOwn(buildOnly, name);

/** The variable from which an app learns its version. */
export const commitVariable = 'LONGSHORE_COMMIT_SHA';

/** A value that the build of a Dockerfile can get, by an ARG or as a secret. */
export interface DockerfileValue {
  value: string;
  isSecret: boolean;
}

/**
 * The values that a Dockerfile can ask for, by the name of a variable and by the name that it has in the container. Docker gets only those
 * that the Dockerfile asks for.
 */
export function dockerfileValues(
  { secretKeys, ...variables }: ScopedVariables & Pick<DeploySecrets, 'secretKeys'>,
  settings: ContainerSettings | undefined,
  commitSha: string | null,
): Map<string, DockerfileValue> {
  const env = buildEnvOf(variables);
  const secret = new Set(secretKeys ?? Object.keys(env));
  const own = Object.entries(env).map(([key, value]) => ({ key, value, isSecret: secret.has(key) }));
  const commit = commitSha ? [{ key: commitVariable, value: commitSha, isSecret: false }] : [];
  const all = [...commit, ...own];
  return new Map([
    ...all.map(({ key, ...value }) => [nameInContainer(key, settings), value] as const),
    ...all.map(({ key, ...value }) => [key, value] as const),
  ]);
}

/** The value of each ARG with such a name, sorted by name. The arguments that Docker sets itself keep its values. */
export const argumentValues = (
  values: ReadonlyMap<string, DockerfileValue>,
  automatic: ReadonlyMap<string, string>,
): Map<string, string> =>
  new Map(
    [...values]
      .filter(([name]) => !ownOfTheImage.has(name) && !isBuildersOwn(name) && !automatic.has(name))
      .map(([name, { value }]) => [name, value] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

/** The variable for the id of a secret: the one of this name, else the one of this name in capitals (`npm-token` is NPM_TOKEN). */
export const secretValue = (values: ReadonlyMap<string, DockerfileValue>, id: string): string | undefined =>
  (values.get(id) ?? values.get(id.toUpperCase().replaceAll(/\W/g, '_')))?.value;

/** Sentences about the variables that a build does not get, for its log. */
export function withheldNotes(variables: ScopedVariables): string[] {
  const env = buildEnvOf(variables);
  const isChosen = chosenForBuild(variables);
  const builders = withheldVariables(env);
  const forRun = Object.keys(env)
    .filter((name) => !isChosen(name) && isForRunOnly(name, env[name] ?? ''))
    .sort();
  return [
    ...runOnlyNotes(variables),
    ...(builders.length > 0
      ? [`Not passed to the build, because they would configure Docker itself: ${builders.join(', ')}`]
      : []),
    ...(forRun.length > 0
      ? [
          `Not passed to the build, because they load files of the finished app into each of its tools: ${forRun.join(', ')}. If the build needs one, give it the scope "build", or set it in buildCommand: NAME=value <command>.`,
        ]
      : []),
  ];
}

/** Names the variables with the scope `run`, for the log of a build that may miss one. */
export const runOnlyNotes = ({ runOnly = [] }: ScopedVariables): string[] =>
  runOnly.length > 0
    ? [`Not passed to the build, because their scope is "run": ${[...runOnly].sort().join(', ')}`]
    : [];

/** Variables that would steer BuildKit itself (BUILDKIT_SYNTAX names a program that it runs): a build never gets them. */
const withheldVariables = (env: Readonly<Record<string, string>>): string[] =>
  Object.keys(env).filter(isBuildersOwn).sort();
