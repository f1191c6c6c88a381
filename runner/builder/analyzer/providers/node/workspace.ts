/** Finds a package's workspace, the package that the service builds, and the packages to be built before it. */
import { posix } from 'node:path';
import { filesBelow, type ProjectFiles } from '../../project-files.ts';
import { AnalyzerError, type BuildOverrides } from '../../provider.ts';
import { type JavaScriptProject, readJavaScriptProject, type WorkspacePackage } from './build-info.ts';
import { javaScriptFramework } from './frameworks.ts';
import { nxApplications, nxProject, packageOfNx } from './nx-project.ts';
import { manifestName, noPackage, type PackageJson, readPackage } from './package-json.ts';
import { hasLockFile } from './package-manager.ts';
import { ownServer, usualMainFile } from './start-command.ts';

export interface NodeApp {
  /** The directory copied to /app. */
  scope: 'service' | 'repository';
  /** The root of the workspace within the scope; `.` if it is the scope itself. */
  base: string;
  /** Files of the workspace's root. */
  root: ProjectFiles;
  rootJson: PackageJson;
  /** The package, relative to `base`. */
  directory: string;
  json: PackageJson;
  project: JavaScriptProject;
}

/** @throws AnalyzerError when the package can't be determined */
export async function nodeApp(files: ProjectFiles, overrides: BuildOverrides): Promise<NodeApp> {
  const around = workspaceAround(files);
  const base = around?.base ?? '.';
  const root = around ? filesBelow(files.around?.files ?? files, base) : files;
  const rootJson = around && !manifestName(root) ? noPackage : packageIn(root, '.');
  const project = await readJavaScriptProject(root);
  const directory = around?.directory ?? (await theApp(root, rootJson, project, overrides));
  const scope = around ? 'repository' : 'service';
  return { scope, base, root, rootJson, directory, json: appPackage(root, directory, rootJson), project };
}

/** The workspace packages that this one uses, each after its own dependencies. */
export function localDependencies({ root, directory, project }: NodeApp): WorkspacePackage[] {
  const byName = new Map(project.packages.flatMap((one) => (one.name ? [[one.name, one] as const] : [])));
  const ordered: WorkspacePackage[] = [];
  const seen = new Set<string>([directory]);
  const visit = (path: string) => {
    const json = readPackage(root, path);
    for (const name of Object.keys({ ...json?.dependencies, ...json?.devDependencies })) {
      const used = byName.get(name);
      if (!used || seen.has(used.path)) continue;
      seen.add(used.path);
      visit(used.path);
      ordered.push(used);
    }
  };
  visit(directory);
  return ordered;
}

/** The nearest workspace above the service root. A service root with its own lock file has none. */
function workspaceAround(files: ProjectFiles): { base: string; directory: string } | undefined {
  if (!files.around || hasLockFile(files)) return undefined;
  const { files: repository, directory } = files.around;
  for (let base = posix.dirname(directory); ; base = posix.dirname(base)) {
    const isWorkspace =
      repository.has(posix.join(base, 'pnpm-workspace.yaml')) ||
      repository.has(posix.join(base, 'nx.json')) ||
      readPackage(repository, base)?.workspaces !== undefined;
    if (isWorkspace) return { base, directory: posix.relative(base, directory) };
    if (base === '.') return undefined;
  }
}

/** RedwoodJS builds and serves its two packages together, with commands of its own. */
const redwood =
  'This is a RedwoodJS project: set buildCommand to "yarn rw build" and startCommand to "yarn rw serve --webPort $PORT". For one side alone, name it in both (yarn rw build web).';

/** The app of a whole workspace: the root itself if it can be started, or else the only package that can. */
async function theApp(
  root: ProjectFiles,
  rootJson: PackageJson,
  project: JavaScriptProject,
  { startCommand, staticOutput }: BuildOverrides,
): Promise<string> {
  const own = nxApplications(root);
  if (startCommand || staticOutput || own.includes('.') || ownServer(rootJson)) return '.';
  if (root.has('redwood.toml')) throw new AnalyzerError(redwood);
  if (project.packages.length === 0 && own.length === 0) return '.';
  const apps = [...own];
  for (const { path } of project.packages) {
    const json = readPackage(root, path);
    if (!json || apps.includes(path)) continue;
    const framework = javaScriptFramework(await project.framework(path), json);
    // A component library may use Vite, too, but has nothing to serve.
    const isApp = json.scripts.start !== undefined || (framework !== null && /^(apps|services)\//.test(path));
    if (isApp) apps.push(path);
  }
  const [only] = apps;
  if (only !== undefined && apps.length === 1) return only;
  if (only === undefined && usualMainFile(root.has) !== undefined) return '.';
  const choice = apps.length > 0 ? `one of ${apps.join(', ')}` : 'the directory of the app';
  throw new AnalyzerError(`This repository is a workspace of several packages: set rootDir to ${choice}.`);
}

const appPackage = (root: ProjectFiles, directory: string, rootJson: PackageJson): PackageJson =>
  readPackage(root, directory) ?? packageOfNx(root, directory, rootJson) ?? packageIn(root, directory);

/** True if a service root is an app of an Nx workspace around it, without a package.json of its own. */
export const isNxApp = ({ around }: ProjectFiles): boolean => {
  if (!around) return false;
  for (let base = posix.dirname(around.directory); ; base = posix.dirname(base)) {
    if (nxProject(filesBelow(around.files, base), posix.relative(base, around.directory))) return true;
    if (base === '.') return false;
  }
};

function packageIn(files: ProjectFiles, directory: string): PackageJson {
  const json = readPackage(files, directory);
  if (json) return json;
  throw new AnalyzerError(`${posix.join(directory, 'package.json')} is missing or is not valid JSON.`);
}
