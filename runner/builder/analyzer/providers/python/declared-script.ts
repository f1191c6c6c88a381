/** The commands that a Python project declares in its pyproject.toml. */
import type { ProjectFiles } from '../../project-files.ts';
import { tableAt, textAt, tryToml, valueAt } from '../../toml.ts';

/**
 * The command that the install of a package makes: its only one, or the one named like the project.
 * https://packaging.python.org/en/latest/specifications/pyproject-toml/#entry-points
 */
export function declaredScript(files: ProjectFiles): string | undefined {
  const table = tryToml(files, 'pyproject.toml');
  const isInstalled = files.has('uv.lock') || files.has('poetry.lock') || !files.has('requirements.txt');
  if (table?.['build-system'] === undefined || !isInstalled) return undefined;
  const project = [['project'], ['tool', 'poetry']].map((keys) => valueAt(table, ...keys));
  const names = project.flatMap((one) => Object.keys(tableAt(one, 'scripts')));
  const own = project.map((one) => textAt(one, 'name'));
  return names.length === 1 ? names[0] : names.find((name) => own.includes(name));
}
