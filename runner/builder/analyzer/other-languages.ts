/** Languages without a provider, by the manifests of their projects. */
import type { ProjectFiles } from './project-files.ts';

const manifests: Readonly<Record<string, string>> = {
  'gleam.toml': 'Gleam',
  'pubspec.yaml': 'Dart or Flutter',
  'Package.swift': 'Swift',
  'build.zig': 'Zig',
  'stack.yaml': 'Haskell',
  'cabal.project': 'Haskell',
  'deps.edn': 'Clojure',
  'project.clj': 'Clojure',
  'shard.yml': 'Crystal',
  'dune-project': 'OCaml',
  'rebar.config': 'Erlang',
  'Project.toml': 'Julia',
  'renv.lock': 'R',
  cpanfile: 'Perl',
};

/** @returns a sentence for a project in such a language, or `undefined` */
export function otherLanguage(files: Pick<ProjectFiles, 'has'>): string | undefined {
  const manifest = Object.keys(manifests).find((name) => files.has(name));
  return (
    manifest &&
    `${manifest} is a project of ${manifests[manifest]}, for which the analyzer has no builder: add a Dockerfile that builds and starts it.`
  );
}
