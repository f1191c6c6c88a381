/** The repository around a package of Cargo. */
import { posix } from 'node:path';
import { filesBelow, type ProjectFiles } from '../../project-files.ts';
import { readToml, textAt, tryToml, valueAt } from '../../toml.ts';

/**
 * A package may use versions of its workspace, and packages beside it. Then the whole repository is its source.
 * https://doc.rust-lang.org/cargo/reference/workspaces.html
 */
export function aroundOf(
  files: ProjectFiles,
): { root: ProjectFiles; path: string; directory: string } | undefined {
  const { around } = files;
  if (!around || !leavesItself(readToml(files, 'Cargo.toml'))) return undefined;
  let base = posix.dirname(around.directory);
  while (base !== '.' && !tryToml(around.files, posix.join(base, 'Cargo.toml'))?.workspace) {
    base = posix.dirname(base);
  }
  const path = around.directory;
  return { root: filesBelow(around.files, base), path, directory: posix.join('/app', path) };
}

/** `target.<platform>.dependencies.<crate>.workspace` is the deepest. */
const depthMax = 5;

/** True if a value or a nested value has `workspace = true`, `workspace = "../.."` or `path = "../other"`. */
const leavesItself = (value: unknown, depth = depthMax): boolean =>
  valueAt(value, 'workspace') === true ||
  textAt(value, 'workspace') !== undefined ||
  textAt(value, 'path')?.startsWith('../') ||
  (depth > 0 &&
    typeof value === 'object' &&
    Object.values(value ?? {}).some((one) => leavesItself(one, depth - 1)));
