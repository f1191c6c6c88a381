/** Debian packages that packages of npm need, which Node's small images do not have. */
import { type NativePackages, nativePackages } from '../../plan-parts.ts';
import type { NodeFacts } from './node-facts.ts';
import { dependsOn, readPackage } from './package-json.ts';
import { localDependencies } from './workspace.ts';

/** Prisma's engines load libssl: https://github.com/prisma/orm/issues/19729. Version 7 has only the one of migrations left. */
const openssl = { build: ['openssl'], run: ['openssl'] };
/** For packages without a compiled form for Linux: https://github.com/nodejs/node-gyp#on-unix */
const compiler = ['g++', 'make', 'python3'];

const native: NativePackages = {
  prisma: openssl,
  '@prisma/client': openssl,
  'pg-native': { build: [...compiler, 'libpq-dev'], run: ['libpq5'] },
  'node-pty': { build: compiler, run: [] },
};

/** The needs of the app and of the packages of its workspace that it uses. */
export function debianPackages(facts: NodeFacts) {
  const { root, json } = facts;
  const used = [json, ...localDependencies(facts).map(({ path }) => readPackage(root, path))];
  return nativePackages(native, (name) => used.some((one) => one !== undefined && dependsOn(one, name)));
}
