/** The facts that a plan for a JavaScript package uses. */
import type { ProjectFiles } from '../../project-files.ts';
import type { BuildOverrides } from '../../provider.ts';
import { frameworkFacts, type JavaScriptFramework, javaScriptFramework, type Serving } from './frameworks.ts';
import { nodeVersion } from './node-version.ts';
import { type PackageManager, packageManager } from './package-manager.ts';
import type { NodeApp } from './workspace.ts';

export interface NodeFacts extends NodeApp {
  manager: PackageManager;
  framework: JavaScriptFramework | null;
  serving: Serving | null;
  /** Node's version, as the start of the image's tag. */
  version: string;
  notes: string[];
}

/** @param files of the service root */
export async function findOut(
  app: NodeApp,
  files: ProjectFiles,
  overrides: BuildOverrides,
): Promise<NodeFacts> {
  const { root, rootJson, directory, json } = app;
  const manager = packageManager(root, rootJson);
  const found = await app.project.framework(directory);
  const framework = javaScriptFramework(found, json);
  const serving =
    framework?.serving(frameworkFacts(root, directory, json, found?.directory ?? 'dist')) ?? null;
  const engines = json.engines.node ? json : { ...rootJson, volta: { ...rootJson.volta, ...json.volta } };
  const { version, from } = nodeVersion(engines, [files, root], overrides.env);
  const notes = [
    `Node ${version} (${from}), ${manager.tool ?? manager.command}`,
    ...(framework ? [`Framework: ${framework.id}`] : []),
    ...(directory === '.' ? [] : [`Package ${directory} of a workspace`]),
  ];
  return { ...app, manager, framework, serving, version, notes };
}
