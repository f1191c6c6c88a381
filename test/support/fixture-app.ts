/** The projects of test/fixtures/apps, one for each kind that the analyzer supports. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const apps = fileURLToPath(new URL('../fixtures/apps', import.meta.url));

export const fixtureDirectory = (name: string) => join(apps, name);

/** Path and text of every file. */
export function fixtureApp(name: string): Record<string, string> {
  const root = fixtureDirectory(name);
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => relative(root, join(entry.parentPath, entry.name)));
  return Object.fromEntries(paths.sort().map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}
