/**
 * Builds the dashboard into `<directory>/dashboard/`, static files next to the Worker: `node dashboard/build.ts <directory>`. Fails if the first
 * page would load more than {@link firstLoadMax}.
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type Rollup } from 'vite';
import solid from 'vite-plugin-solid';

const root = import.meta.dirname;

/** Gzipped bytes that every page loads before it shows content: script, style, font, start script and icon. */
export const firstLoadMax = 90_000;

/** For Cloudflare, which serves static files without the Worker: https://developers.cloudflare.com/workers/static-assets/headers/ */
const cloudflareHeaders = `/*
  X-Content-Type-Options: nosniff
/dashboard/chunks/*
  Cache-Control: public, max-age=31536000, immutable
`;

/** @param directory of the static files @returns the gzipped bytes of the first load @throws Error above the limit */
export async function buildDashboard(directory: string): Promise<number> {
  const outDir = resolve(directory, 'dashboard');
  await rm(outDir, { recursive: true, force: true });
  const built = (await build({
    root,
    configFile: false,
    base: '/dashboard/',
    logLevel: 'warn',
    plugins: [solid()],
    // With Vite's defaults, the libraries' development code would be used if NODE_ENV has another value.
    resolve: { conditions: ['module', 'browser', 'production'] },
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2022',
      // Inlined files would be data: URLs, which the page's policy forbids for scripts.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rollupOptions: {
        input: join(root, 'main.tsx'),
        output: {
          entryFileNames: 'app.js',
          chunkFileNames: 'chunks/[name]-[hash].js',
          assetFileNames: ({ names }) =>
            names.includes('main.css') ? 'style.css' : 'chunks/[name]-[hash][extname]',
        },
      },
    },
  })) as Rollup.RollupOutput;
  await writeFile(resolve(directory, '_headers'), cloudflareHeaders);
  const bytes = await firstLoad(outDir, built);
  if (bytes <= firstLoadMax) return bytes;
  throw new Error(
    `The first load of the dashboard is ${bytes} bytes after gzip; the limit is ${firstLoadMax}.`,
  );
}

async function firstLoad(outDir: string, { output }: Rollup.RollupOutput): Promise<number> {
  const chunks = new Map(output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file]] : [])));
  const wanted = new Set(['app.js']);
  for (const name of wanted) for (const imported of chunks.get(name)?.imports ?? []) wanted.add(imported);
  const fonts = output.map(({ fileName }) => fileName).filter((name) => name.endsWith('.woff2'));
  const files = [...wanted, 'style.css', ...fonts, 'start.js', 'icon.svg'];
  const sizes = await Promise.all(
    files.map(async (file) => gzipSync(await readFile(join(outDir, file))).length),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

if (import.meta.main) {
  const bytes = await buildDashboard(process.argv[2] ?? join(root, '../dist/assets'));
  console.log(`dashboard: first load ${(bytes / 1000).toFixed(1)} kB after gzip`);
}
