/** Builds the folder `dist/package` for `npm pack` and `npm publish`: the command line and the client, without dependencies. */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bundle, bundleClient } from './bundle.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));

const readme = `# longshore

The command line and the TypeScript client of Longshore, which deploys to your own servers. Needs Node 20.12 or newer.

    npx longshore --help

    import { createClient } from 'longshore/client';
    const longshore = createClient({ url: 'https://longshore.example', token: process.env.LONGSHORE_KEY });
    const { projects } = await longshore.all('GET /api/projects');
`;

/** @param folder its contents are replaced @returns its path */
export async function makePackage(folder = join(root, 'dist/package')): Promise<string> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await Promise.all([
    bundle(join(folder, 'longshore.mjs'), 'node'),
    bundleClient(join(folder, 'client.mjs')),
    writeTypes(folder),
    copyFile(join(root, 'LICENSE'), join(folder, 'LICENSE')),
    writeFile(join(folder, 'README.md'), readme),
    writeManifest(folder),
  ]);
  return folder;
}

async function writeManifest(folder: string) {
  const own = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Record<string, unknown>;
  const manifest = {
    name: own.name,
    version: own.version,
    description: 'Command line and client of Longshore, which deploys to your own servers.',
    license: own.license,
    type: 'module',
    bin: { longshore: 'longshore.mjs' },
    exports: { './client': { types: './client.d.ts', default: './client.mjs' } },
    engines: { node: '>=20.12' },
  };
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** The types of the API contain no code, so the file is published unchanged as a declaration. */
async function writeTypes(folder: string) {
  const client = join(root, 'client/client.ts');
  const options = [
    '--declaration',
    '--emitDeclarationOnly',
    '--allowImportingTsExtensions',
    '--skipLibCheck',
  ];
  const target = [
    '--module',
    'nodenext',
    '--target',
    'es2023',
    '--lib',
    'es2023,dom,dom.iterable',
    '--types',
    '',
  ];
  const tsc = join(root, 'node_modules/.bin/tsc');
  const args = ['--ignoreConfig', client, ...options, ...target, '--outDir', folder];
  await run(tsc, args, { cwd: root });
  const declaration = join(folder, 'client.d.ts');
  const text = await readFile(declaration, 'utf8');
  await writeFile(declaration, text.replaceAll('./api-types.ts', './api-types.js'));
  await copyFile(join(root, 'client/api-types.ts'), join(folder, 'api-types.d.ts'));
}

if (import.meta.main) console.log(await makePackage());
