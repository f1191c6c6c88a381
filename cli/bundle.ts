/** Builds `dist/longshore.mjs`: the command line in one file, for Node 20 and newer. */
import { chmod, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/**
 * The first lines of the program, as an executable file. Node reads `--env-file` also behind the program's name and ends with 9 if the file is
 * missing, unless `--` stands before the name. `shell`: a shell adds it; to JavaScript its line is a string. Windows and `env` of Alpine Linux can
 * start neither this nor options of `env`, so a package of npm has `node`.
 */
const launchers = {
  shell: `#!/bin/sh\n':' //; exec node -- "$0" "$@"`,
  node: '#!/usr/bin/env node',
};

/** @param outfile path of the written file @returns its path */
export async function bundle(
  outfile = path('../dist/longshore.mjs'),
  launcher: keyof typeof launchers = 'shell',
): Promise<string> {
  const { version } = JSON.parse(await readFile(path('../package.json'), 'utf8')) as { version: string };
  await build({
    entryPoints: [path('main.ts')],
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    define: { LONGSHORE_VERSION: JSON.stringify(version) },
    // ws is CommonJS, and requires modules of Node.
    banner: {
      js: `${launchers[launcher]}\nimport { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`,
    },
    legalComments: 'inline',
    logLevel: 'warning',
  });
  await chmod(outfile, 0o755);
  return outfile;
}

/** The client in one file, for any runtime that has `fetch`. */
export async function bundleClient(outfile: string): Promise<void> {
  await build({
    entryPoints: [path('../client/client.ts')],
    outfile,
    bundle: true,
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['import'],
    format: 'esm',
    target: 'es2022',
    logLevel: 'warning',
  });
}

if (import.meta.main) console.log(await bundle());
