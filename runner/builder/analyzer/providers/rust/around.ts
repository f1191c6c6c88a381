/** The repository around a package of Cargo. */
import { posix } from 'node:path';
import { filesBelow, type ProjectFiles } from '../../project-files.ts';

/**
 * A package may take versions from the workspace around it, and packages beside it: then the whole repository is its source.
 * https://doc.rust-lang.org/cargo/reference/workspaces.html
 */
export function aroundOf(
  files: ProjectFiles,
): { root: ProjectFiles; path: string; directory: string } | undefined {
  const { around } = files;
  const manifest = files.read('Cargo.toml') ?? '';
  const needs = /\bworkspace\s*=\s*(?:true|")|\bpath\s*=\s*"\.\.\//.test(manifest);
  if (!around || !needs) return undefined;
  let base = posix.dirname(around.directory);
  while (base !== '.' && !/^\[workspace\]/m.test(around.files.read(posix.join(base, 'Cargo.toml')) ?? '')) {
    base = posix.dirname(base);
  }
  const path = around.directory;
  return { root: filesBelow(around.files, base), path, directory: posix.join('/app', path) };
}
