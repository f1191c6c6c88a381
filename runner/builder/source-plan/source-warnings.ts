/** What will surprise in a source, said before it is deployed. Each sentence has a way out. */

import type { ProjectFiles } from '../analyzer/project-files.ts';
import { databaseFile } from '../database-files.ts';

const lockFiles: readonly [manifest: string, locks: readonly string[]][] = [
  [
    'package.json',
    ['package-lock.json', 'npm-shrinkwrap.json', 'yarn.lock', 'pnpm-lock.yaml', 'bun.lock', 'bun.lockb'],
  ],
  ['Gemfile', ['Gemfile.lock']],
  ['composer.json', ['composer.lock']],
  ['Cargo.toml', ['Cargo.lock']],
  ['Pipfile', ['Pipfile.lock']],
];

/** @param base of the Dockerfile's last stage @param examples values of example files, of which only addresses of files count */
export function sourceWarnings(
  files: ProjectFiles,
  examples: ReadonlyMap<string, string>,
  { isSite, base }: { isSite: boolean; base: string | null },
): string[] {
  return [
    isSite ? undefined : fileOfDatabase(files, examples),
    base === null ? missingLock(files) : undefined,
    windowsOnly(files, base),
    files.has('.gitmodules')
      ? 'The repository has submodules, which are not fetched: set the variable GIT_SUBMODULES to "true" if the build needs them.'
      : undefined,
    /filter=lfs/.test(files.read('.gitattributes') ?? '')
      ? 'The repository keeps files in Git LFS, which are not fetched: set the variable GIT_LFS to "true" if the app needs them.'
      : undefined,
  ].filter((one) => one !== undefined);
}

function fileOfDatabase(files: ProjectFiles, examples: ReadonlyMap<string, string>): string | undefined {
  const found = databaseFile(Object.fromEntries(examples), files);
  if (!found) return undefined;
  return `The app seems to keep a database in a file (${found.where}). Without a volume its data is lost with each new version: add a volume at ${found.directory ?? '/data'}, and let the app keep the file there.`;
}

function missingLock(files: ProjectFiles): string | undefined {
  for (const [manifest, locks] of lockFiles) {
    const text = files.read(manifest);
    if (text === undefined) continue;
    if (locks.some((name) => files.has(name) || files.around?.files.has(name))) return undefined;
    if (manifest === 'package.json' && !/"(?:dev|peer|optional)?[dD]ependencies"\s*:\s*\{\s*"/.test(text))
      return undefined;
    return `There is no lock file beside ${manifest}, so each build may get other versions of its dependencies: commit ${locks[0]}.`;
  }
  return undefined;
}

function windowsOnly(files: ProjectFiles, base: string | null): string | undefined {
  if (base !== null && /(?:^|\/)(?:windows(?:\/|:)|dotnet\/framework\/|nanoserver|servercore)/.test(base))
    return `The Dockerfile builds on ${base}, an image of Windows, and hosts run Linux: use an image for Linux.`;
  for (const name of files.list()) {
    if (!/\.(?:cs|vb)proj$/.test(name)) continue;
    const text = files.read(name) ?? '';
    if (/<TargetFrameworkVersion>|<TargetFrameworks?>[^<]*\bnet4\d/i.test(text))
      return `${name} is for the .NET Framework, which runs only on Windows: move it to a current .NET.`;
    if (/<UseW(?:PF|indowsForms)>\s*true|<TargetFrameworks?>[^<]*-windows/i.test(text))
      return `${name} is a program with windows, which runs only on Windows and serves nothing.`;
  }
  return undefined;
}
