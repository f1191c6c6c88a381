/** The names of a Dockerfile that Docker, Podman and Buildah look for, in this order. */
export const dockerfileNames = ['Dockerfile', 'dockerfile', 'Containerfile'] as const;

/** Files at the root of a source that explanations of failures may mention. Others are never reported, because names of files may be private. */
export const namedSourceFiles = [
  ...dockerfileNames,
  'Procfile',
  '.dockerignore',
  '.gitignore',
  '.gitmodules',
  'package.json',
  'package.json5',
  'package.yaml',
  'package-lock.json',
  'npm-shrinkwrap.json',
  'pnpm-lock.yaml',
  'yarn.lock',
  'bun.lock',
  'bun.lockb',
  '.npmrc',
  '.nvmrc',
  '.node-version',
  'deno.json',
  'deno.jsonc',
  'requirements.txt',
  'Pipfile',
  'Pipfile.lock',
  'pyproject.toml',
  'poetry.lock',
  'uv.lock',
  'setup.py',
  'pip.conf',
  '.python-version',
  'Gemfile',
  'Gemfile.lock',
  '.ruby-version',
  'composer.json',
  'composer.lock',
  'go.mod',
  'go.sum',
  'Cargo.toml',
  'Cargo.lock',
  'pom.xml',
  'mvnw',
  'build.gradle',
  'build.gradle.kts',
  'gradlew',
  'mix.exs',
  'global.json',
] as const;

export type NamedSourceFile = (typeof namedSourceFiles)[number];

/** Those of the names that this version knows; the host may be newer. */
export const knownSourceFiles = (names: readonly string[]): NamedSourceFile[] =>
  namedSourceFiles.filter((name) => names.includes(name));
