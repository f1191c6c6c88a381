/** Builds `dist/longshore.mjs`: the command line in one file, for Node 20 and newer. */
import { chmod, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** @param outfile path of the written file @returns its path */
export async function bundle(outfile = path('../dist/longshore.mjs')): Promise<string> {
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
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
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
