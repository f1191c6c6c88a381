/** The requirements in the manifests of a Python project, converted to the form of a requirements.txt. */
import type { ProjectFiles } from '../../project-files.ts';
import { isTable, type Toml, textAt, textsAt, tryToml } from '../../toml.ts';

/** Tables and lists of requirements in a pyproject.toml of any tool, and in a Pipfile. */
const holders = /dependenc|^(dev-)?packages$|^requires$|^sources$/;
/** `tool.poetry.group.test.dependencies` is the deepest. */
const depthMax = 6;

/** @returns lines such as `fastapi[standard]>=0.115`, direct ones only */
export const requirementsOf = (files: ProjectFiles): string =>
  [
    files.read('requirements.txt') ?? '',
    ...['pyproject.toml', 'Pipfile'].flatMap((path) => requirementsIn(tryToml(files, path) ?? {})),
  ].join('\n');

function requirementsIn(table: Toml, depth = depthMax): string[] {
  if (depth === 0) return [];
  return Object.entries(table).flatMap(([key, value]) => {
    if (holders.test(key)) return requirementsFrom(value);
    return isTable(value) ? requirementsIn(value, depth - 1) : [];
  });
}

/** A list contains texts. A table contains such lists by the names of extras and groups, or versions and sources by the names of libraries. */
function requirementsFrom(value: unknown): string[] {
  if (Array.isArray(value)) return textsAt(value);
  if (!isTable(value)) return [];
  return Object.entries(value).flatMap(([name, one]) => {
    const group = textsAt(one);
    if (group.length > 0) return group;
    const extras = textsAt(one, 'extras').join(',');
    const repository = textAt(one, 'git');
    return [`${name}${extras && `[${extras}]`}${repository ? ` @ git+${repository}` : ''}`];
  });
}
