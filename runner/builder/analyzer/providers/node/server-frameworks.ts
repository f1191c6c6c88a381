/** Serves Next, TanStack Start and SvelteKit, depending on their settings. */
import { posix } from 'node:path';
import { servesDevelopment } from './development-server.ts';
import { dependsOn } from './package-json.ts';
import { configs, everywhere, type FrameworkFacts, nitro, outDir, type Serving, start } from './serving.ts';

/** `output: 'standalone'` traces the files that the server needs; the variable does the same on other platforms. */
export function next(app: FrameworkFacts): Serving {
  const config = app.config(...configs('next'));
  if (/output:\s*['"`]export['"`]/.test(config)) {
    const directory = /distDir:\s*['"`]\.?\/?([\w./-]+)['"`]/.exec(config)?.[1] ?? 'out';
    return { type: 'site', directory, spa: false, ignoresStart: /^next start\b/.test(start(app)) };
  }
  const own = servesDevelopment(start(app), app.json.scripts) ? '' : start(app);
  // Next's documentation starts the traced server in its own directory, after copying files by hand.
  const isUsual = /^(next start|node (\.\/)?\.next\/standalone\/server\.js)$/.test(own);
  if (own !== '' && !(isUsual && (app.isAlone || own === 'next start'))) {
    return { type: 'server', start: null, env: everywhere };
  }
  // In a workspace the traced server is below the package's path, so all of it is kept and Next finds its build.
  if (!app.isAlone) return { type: 'server', start: 'next start', env: { HOSTNAME: '0.0.0.0' } };
  return {
    type: 'server',
    start: 'node server.js',
    startWins: true,
    outputs: [
      { from: '.next/standalone/', to: '.' },
      { from: '.next/static/', to: '.next/static/' },
      ...(app.hasDirectory('public') ? [{ from: 'public/', to: 'public/' }] : []),
    ],
    env: { HOSTNAME: '0.0.0.0' },
    buildEnv: { NEXT_PRIVATE_STANDALONE: 'true', NEXT_TELEMETRY_DISABLED: '1' },
  };
}

/**
 * Nitro's output with its plugin. Without it the build is a handler, which srvx serves beside the client's files: the server that h3, the
 * base of TanStack Start, comes with (https://srvx.h3.dev/guide/cli). Some starters name Nitro's output in `start`, and do not have Nitro.
 */
export function tanStackStart(app: FrameworkFacts): Serving {
  const config = app.config(...configs('vite'));
  const names = ['nitro', 'nitropack', '@tanstack/nitro-v2-vite-plugin', 'vinxi'];
  if (names.some((name) => dependsOn(app.json, name)) || /nitro/i.test(config)) return nitro();
  if (/@cloudflare\/vite-plugin/.test(config)) {
    const refusal =
      'vite.config.ts uses @cloudflare/vite-plugin, which builds for that platform alone: remove the plugin from the configuration.';
    return { type: 'server', start: null, refusal, env: everywhere };
  }
  return {
    type: 'server',
    start: `srvx --prod --static ../client ${outDir(app)}/server/server.js`,
    startWins: /^node (\.\/)?\.output\//.test(start(app)),
    tool: 'srvx@1',
    env: everywhere,
  };
}

/** Adapters for one vendor's platform. */
const vendorAdapter = /from\s*['"](@sveltejs\/adapter-(?:vercel|netlify|cloudflare(?:-workers)?))['"]/;

/** The major version of the Node adapter for each one of SvelteKit, by its peer dependencies. */
const nodeAdapterOf = ({ json: { dependencies, devDependencies } }: FrameworkFacts): string => {
  const range = devDependencies['@sveltejs/kit'] ?? dependencies['@sveltejs/kit'] ?? '';
  const major = /\d+/.exec(range)?.[0] ?? '';
  return { '1': '1', '2': '5', '3': '6' }[major] ?? 'latest';
};

/** SvelteKit's settings are in its own file, or in Vite's, where new projects have them. */
const svelteConfigs = (app: FrameworkFacts) =>
  (['svelte', 'vite'] as const).map((name) => ({ name, text: app.config(...configs(name)) }));

/** https://svelte.dev/docs/kit/adapter-static */
function svelteSite(app: FrameworkFacts): Serving {
  const text = svelteConfigs(app)
    .map((one) => one.text)
    .join('\n');
  const option = (name: string) => new RegExp(`\\b${name}:\\s*['"\`]([\\w./-]+)['"\`]`).exec(text)?.[1];
  const fallback = option('fallback');
  return {
    type: 'site',
    directory: posix.join('.', option('pages') ?? 'build'),
    spa: fallback !== undefined,
    ...(fallback && fallback !== 'index.html' ? { fallback } : {}),
  };
}

export function svelteKit(app: FrameworkFacts): Serving {
  if (dependsOn(app.json, '@sveltejs/adapter-static')) return svelteSite(app);
  const isNode = dependsOn(app.json, '@sveltejs/adapter-node');
  const found = svelteConfigs(app).find(({ text }) => vendorAdapter.test(text));
  const vendor = isNode ? undefined : vendorAdapter.exec(found?.text ?? '')?.[1];
  const isAuto = !isNode && dependsOn(app.json, '@sveltejs/adapter-auto');
  return {
    type: 'server',
    start: isNode || isAuto ? 'node build' : null,
    ...(vendor && {
      refusal: `${found?.name === 'vite' ? 'vite.config.ts' : 'svelte.config.js'} uses ${vendor}, which builds for that platform alone: use @sveltejs/adapter-node there, or @sveltejs/adapter-static for a site without a server.`,
    }),
    // The variable makes adapter-auto choose and install the Node adapter (adapters.js in its package, "Google Cloud Run").
    // It is installed beforehand: adapter-auto finds it in a directory above, and Yarn 1 breaks packages that the running build has loaded.
    ...(isAuto && {
      buildEnv: { GCP_BUILDPACKS: 'longshore' },
      buildPackage: `@sveltejs/adapter-node@${nodeAdapterOf(app)}`,
    }),
    // Pages over plain HTTP without this header treat every form as cross-site. The proxy sets the header.
    env: { ...everywhere, PROTOCOL_HEADER: 'x-forwarded-proto' },
  };
}

/** The build has its own server, which finds its packages in the parent directory: https://docs.medusajs.com/learn/build */
export function medusa(app: FrameworkFacts): Serving {
  const own = start(app) || 'medusa start';
  if (!/^medusa start\b/.test(own)) return { type: 'server', start: null, env: everywhere };
  return {
    type: 'server',
    start: `cd ${medusaBuild} && exec ${own}`,
    startWins: true,
    release: `cd ${medusaBuild} && exec medusa db:migrate`,
    env: everywhere,
  };
}
const medusaBuild = '.medusa/server';

/** A new project can only be developed; an integration adds the server, or the pages of a site. */
export function qwik(app: FrameworkFacts): Serving {
  const { scripts } = app.json;
  const serve = scripts.serve?.trim();
  if (serve && /\bserver\/entry/.test(serve)) return { type: 'server', start: serve, env: everywhere };
  if (/\badapters\/(?:static|ssg)\b/.test(Object.values(scripts).join('\n'))) {
    return { type: 'site', directory: 'dist', spa: false };
  }
  const refusal =
    'This Qwik app has no server: add one with "npm run qwik add express" (or fastify, node-server, static for a site without a server), or set startCommand.';
  return { type: 'server', start: null, refusal, env: everywhere };
}
