/** The facts that a plan for a JavaScript package uses. */
import type { ProjectFiles } from '../../project-files.ts';
import type { BuildOverrides } from '../../provider.ts';
import { javaScriptFramework } from './frameworks.ts';
import { nodeVersion } from './node-version.ts';
import { nxFramework } from './nx-serving.ts';
import { type PackageManager, packageManager } from './package-manager.ts';
import { frameworkFacts, type JavaScriptFramework, type Serving } from './serving.ts';
import { toolsOf } from './tools.ts';
import type { NodeApp } from './workspace.ts';

export interface NodeFacts extends NodeApp {
  manager: PackageManager;
  framework: JavaScriptFramework | null;
  serving: Serving | null;
  /** Packages that npm installs before the build (tools.ts). */
  tools: string[];
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
  const manager = packageManager(root, rootJson, overrides.env);
  const found = await app.project.framework(directory);
  const framework = nxFramework(root, directory) ?? javaScriptFramework(found, json);
  const serving = framework?.serving(frameworkFacts(root, app, found?.directory ?? 'dist')) ?? null;
  const engines = json.engines.node ? json : { ...rootJson, volta: { ...rootJson.volta, ...json.volta } };
  const { version, from } = nodeVersion(engines, [files, root], overrides.env);
  const notes = [
    `Node ${version} (${from}), ${manager.tool ?? manager.command}`,
    ...(framework ? [`Framework: ${framework.id}`] : []),
    ...(serving?.type === 'server' && serving.note ? [serving.note] : []),
    ...(directory === '.' ? [] : [`Package ${directory} of a workspace`]),
    ...(overrides.env.FROZEN_LOCKFILE === 'false'
      ? ['Warning: versions may differ from the lock file, because FROZEN_LOCKFILE is false']
      : []),
  ];
  const tools = toolsOf(json, { manager, serving }, overrides);
  return { ...app, manager, framework, serving, tools, version, notes };
}
