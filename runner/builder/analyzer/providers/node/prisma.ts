/**
 * Prisma's client is code that `prisma generate` writes. Up to version 6 the package's install script often wrote it; version 7 never does,
 * and pnpm 10 runs no install scripts of packages.
 */
import { posix } from 'node:path';
import type { NodeFacts } from './node-facts.ts';
import { dependsOn, installScripts, type PackageJson, readPackage } from './package-json.ts';
import { localDependencies } from './workspace.ts';

/** https://www.prisma.io/docs/orm/prisma-schema/overview/location */
const schemas = [
  ...['ts', 'js', 'mjs', 'mts'].map((extension) => `prisma.config.${extension}`),
  ...['schema.prisma', 'prisma/schema.prisma', 'prisma/schema'],
];
const builds = ['prebuild', 'build'];

/** One command for each package of the app whose client is not generated otherwise. @param top the directory of the repository's files */
export function prismaCommands(facts: NodeFacts, top: string): string[] {
  const { root, rootJson, directory, json } = facts;
  const packages = [...localDependencies(facts).map(({ path }) => path), directory];
  return packages.flatMap((path) => {
    const own = path === directory ? json : readPackage(root, path);
    if (!own || !needsClient(root, rootJson, path, own)) return [];
    const at = posix.join(top, path);
    const programs = [...new Set([at, top])].map((one) => posix.join(one, 'node_modules/.bin'));
    return [`${at === '/app' ? '' : `cd ${at} && `}PATH="${programs.join(':')}:$PATH" prisma generate`];
  });
}

function needsClient(root: NodeFacts['root'], rootJson: PackageJson, path: string, own: PackageJson) {
  const given = own.prisma?.schema;
  const hasSchema = given !== undefined || schemas.some((name) => root.has(posix.join(path, name)));
  const hasProgram = [own, rootJson].some((json) => dependsOn(json, 'prisma'));
  if (!hasSchema || !hasProgram || !dependsOn(own, '@prisma/client')) return false;
  return ![own, rootJson].some(({ scripts }) =>
    [...installScripts, ...builds].some((name) => scripts[name]?.includes('prisma generate')),
  );
}
