/**
 * Detects frameworks and workspaces with `@netlify/build-info`, using the analyzer's own file access. It is loaded at its first use: an
 * idle runner does not need its 10 MB.
 */
import { posix } from 'node:path';
import JSON5 from 'json5';
import type { ProjectFiles } from '../../project-files.ts';

export interface FoundFramework {
  /** The framework's id in build-info: `next`, `svelte-kit`, ... */
  id: string;
  /** Output directory of the build, relative to the package. */
  directory: string;
}

export interface WorkspacePackage {
  /** Relative to the workspace's root. */
  path: string;
  name: string | null;
}

export interface JavaScriptProject {
  /** Packages of the workspace; empty without a workspace. */
  packages: WorkspacePackage[];
  /** The most significant framework of one package. */
  framework(directory: string): Promise<FoundFramework | null>;
}

/** The library needs absolute paths; nothing is read from here. */
const root = '/project';

/** @param files of the workspace's root, or of the only package */
export async function readJavaScriptProject(files: ProjectFiles): Promise<JavaScriptProject> {
  const { Project } = await import('@netlify/build-info');
  // The library's error reports would be sent to a service on the network.
  const project = new Project(await virtualFiles(files), root, root).setReportFn(() => {});
  const workspace = await project.detectWorkspaces();
  return {
    packages: (workspace?.packages ?? []).map(({ path, name }) => ({ path, name: name ?? null })),
    async framework(directory) {
      const [found] = await project.detectFrameworksInPath(posix.join(root, directory));
      return found ? { id: found.id, directory: found.build.directory } : null;
    },
  };
}

async function virtualFiles(files: ProjectFiles) {
  const { FileSystem } = await import('@netlify/build-info');
  const relative = (path: string) => posix.relative(root, posix.resolve(root, path)) || '.';
  const names = (path: string) => {
    const found = relative(path).startsWith('..') ? [] : files.list(relative(path));
    return found.includes('package.json5') && !found.includes('package.json')
      ? [...found, 'package.json']
      : found;
  };
  /** The library reads no manifest but package.json. */
  const readable = (place: string) =>
    posix.basename(place) === 'package.json' && !files.has(place) && files.has(`${place}5`)
      ? `${place}5`
      : place;

  class VirtualFiles extends FileSystem {
    override cwd = root;
    getEnvironment() {
      return 'node' as ReturnType<InstanceType<typeof FileSystem>['getEnvironment']>;
    }
    async fileExists(path: string) {
      const place = readable(relative(path));
      return files.has(place) || files.list(posix.dirname(place)).includes(`${posix.basename(place)}/`);
    }
    async readFile(path: string) {
      const place = readable(relative(path));
      const text = place.endsWith('.json5') ? plainJson(files.read(place)) : files.read(place);
      if (text === undefined) throw new Error(`no file ${path}`);
      return text;
    }
    resolve(...paths: string[]) {
      return posix.resolve(this.cwd, ...paths);
    }
    isAbsolute(path: string) {
      return posix.isAbsolute(path);
    }
    readDir(path: string): Promise<string[]>;
    readDir(path: string, withFileTypes: true): Promise<Record<string, 'directory' | 'file'>>;
    async readDir(path: string, withFileTypes?: true) {
      const plain = (name: string) => name.replace(/\/$/, '');
      const found = names(path);
      if (!withFileTypes) return found.map(plain);
      return Object.fromEntries(
        found.map((name) => [plain(name), name.endsWith('/') ? ('directory' as const) : ('file' as const)]),
      );
    }
  }
  const virtual = new VirtualFiles();
  virtual.logger = {
    debug() {},
    log() {},
    warn() {},
    error() {},
    info() {},
  } as unknown as typeof virtual.logger;
  return virtual;
}

/** The same object as JSON; a malformed text is returned unchanged. */
function plainJson(text: string | undefined): string | undefined {
  try {
    return text && JSON.stringify(JSON5.parse(text));
  } catch {
    return text;
  }
}
