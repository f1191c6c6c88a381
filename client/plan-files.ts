/** Chooses the files of a folder whose texts a plan is made from, for `files` of `POST /api/projects/:projectId/source-plans`. */

/** The limits of the route: a body has at most 256 KB. */
const bodyBytesMax = 200_000;
const textsMax = 300;
const pathsMax = 20_000;
const fileBytesMax = 60_000;
const pathCharactersMax = 1_000;

/** Files that say how a project is built and what it needs. */
const manifest =
  /^(?:(?:.*\.)?Dockerfile.*|Containerfile|Procfile|\.env\.(?:example|sample|template|dist)|package\.json|pnpm-workspace\.yaml|(?:turbo|nx|lerna|deno|angular|project|vercel|netlify)\.jsonc?|\.(?:nvmrc|node-version|python-version|ruby-version|tool-versions|npmrc|gitmodules|gitattributes|dockerignore)|requirements[\w-]*\.txt|pyproject\.toml|Pipfile|setup\.(?:py|cfg)|runtime\.txt|Gemfile|composer\.json|go\.(?:mod|work)|Cargo\.toml|pom\.xml|(?:build|settings)\.gradle(?:\.kts)?|build\.sbt|mix\.exs|global\.json|.*\.(?:cs|fs|vb)proj|hugo\.(?:toml|yaml)|config\.(?:toml|yaml)|(?:next|nuxt|vite|astro|svelte|remix|gatsby)\.config\.\w+|manage\.py|CMakeLists\.txt|Makefile|start\.sh)$/;
const code = /\.(?:[cm]?[jt]sx?|vue|svelte|astro|py|rb|go|rs|php|java|kt|scala|exs?|cs|prisma|html)$/;
const apart = /(?:^|\/)(?:tests?|__tests__|spec|docs?|examples?|fixtures|dist|build|public|vendor)\//;
const secret = /^\.env(?!\.(?:example|sample|template|dist)$)/;

export interface FolderFile {
  /** Relative, with slashes. */
  path: string;
  size: number;
}

/**
 * @returns the paths for the list, and those whose texts are sent: manifests first, then code near the top
 */
export function filesOfPlan(files: readonly FolderFile[]): { paths: string[]; texts: string[] } {
  const nearFirst = files
    .filter(({ path }) => path.length <= pathCharactersMax)
    .map((file) => ({ ...file, depth: file.path.split('/').length, name: file.path.split('/').at(-1) ?? '' }))
    .sort((a, b) => a.depth - b.depth);
  const paths: string[] = [];
  let left = bodyBytesMax;
  for (const { path } of nearFirst) {
    // At most half of the body, so that there is room for texts.
    if (paths.length === pathsMax || left < bodyBytesMax / 2) break;
    left -= bytesOf(path) + 3;
    paths.push(path);
  }
  const readable = nearFirst.filter(({ name, size }) => size <= fileBytesMax && !secret.test(name));
  const isManifest = (name: string) => manifest.test(name);
  const texts: string[] = [];
  for (const { path, size } of [
    ...readable.filter(({ name }) => isManifest(name)),
    ...readable.filter(({ name, path }) => !isManifest(name) && code.test(name) && !apart.test(path)),
  ]) {
    // Quotes and line ends take two bytes in JSON.
    const needed = size * 1.2 + bytesOf(path) + 30;
    if (texts.length === textsMax) break;
    if (needed > left) continue;
    left -= needed;
    texts.push(path);
  }
  return { paths, texts };
}

const bytesOf = (path: string) => new TextEncoder().encode(path).length;
