/** Serves the output of JavaScript frameworks: build-info can detect frameworks, but does not know how to run them. */
import { posix } from 'node:path';
import { angularOutput, angularServerEnv } from './angular.ts';
import type { FoundFramework } from './build-info.ts';
import { dependsOn, type PackageJson } from './package-json.ts';
import { medusa, next, qwik, svelteKit, tanStackStart } from './server-frameworks.ts';
import {
  buildScript,
  configs,
  everywhere,
  type FrameworkFacts,
  type JavaScriptFramework,
  nitro,
  outDir,
  type Serving,
  server,
  site,
  spa,
  start,
} from './serving.ts';

/** Keys are build-info's ids. */
const table: Record<string, JavaScriptFramework> = {
  next: { id: 'nextjs', caches: ['.next/cache'], serving: next },
  nuxt: {
    id: 'nuxt',
    serving: (app) =>
      /\bnux[ti]\S* generate/.test(buildScript(app))
        ? siteBesideServer('.output/public', nuxtServer)(app)
        : nitro(),
  },
  remix: { id: 'remix', serving: routed },
  'react-router': { id: 'react-router', serving: routed },
  'svelte-kit': { id: 'sveltekit', serving: svelteKit },
  astro: { id: 'astro', caches: ['node_modules/.astro'], serving: astro },
  'solid-start': { id: 'solid-start', serving: nitro },
  'tanstack-start': { id: 'tanstack-start', serving: tanStackStart },
  analog: { id: 'analog', serving: server('node dist/analog/server/index.mjs', ['dist/analog']) },
  angular: { id: 'angular', caches: ['.angular/cache'], serving: angular },
  gatsby: { id: 'gatsby', caches: ['.cache'], serving: site('public') },
  'create-react-app': { id: 'create-react-app', caches: ['node_modules/.cache'], serving: spa('build') },
  docusaurus: { id: 'docusaurus', caches: ['node_modules/.cache'], serving: site('build') },
  vitepress: {
    id: 'vitepress',
    builder: 'vitepress build',
    serving: (app) => site(below(app, 'vitepress', '.vitepress/dist'))(app),
  },
  vuepress: {
    id: 'vuepress',
    builder: 'vuepress build',
    serving: (app) => site(below(app, 'vuepress', '.vuepress/dist'))(app),
  },
  eleventy: { id: 'eleventy', serving: eleventy },
  vite: { id: 'vite', serving: (app) => spa(outDir(app))(app) },
  svelte: { id: 'svelte', serving: (app) => spa(dependsOn(app.json, 'vite') ? outDir(app) : 'public')(app) },
  'solid-js': { id: 'solid', serving: (app) => spa(outDir(app))(app) },
  'tanstack-router': { id: 'tanstack-router', serving: (app) => spa(outDir(app))(app) },
  vue: { id: 'vue', serving: spa('dist') },
  parcel: { id: 'parcel', caches: ['.parcel-cache'], serving: spa('dist') },
  ember: { id: 'ember', serving: spa('dist') },
  stencil: { id: 'stencil', serving: spa('www') },
  quasar: { id: 'quasar', serving: spa('dist/spa') },
  expo: { id: 'expo', serving: spa('dist') },
  gridsome: { id: 'gridsome', serving: site('dist') },
  hexo: { id: 'hexo', serving: site('public') },
  metalsmith: { id: 'metalsmith', serving: site('build') },
  observable: { id: 'observable', serving: site('dist') },
  qwik: { id: 'qwik', serving: qwik },
  vike: { id: 'vike', serving: server(null) },
  waku: { id: 'waku', serving: server('waku start') },
  hono: { id: 'hono', serving: server(null) },
};

/** Servers that build-info does not detect, by their package; the first match wins. */
const serverPackages: [name: string, id: string][] = [
  ['@nestjs/core', 'nestjs'],
  ['@strapi/strapi', 'strapi'],
  ['@hono/node-server', 'hono'],
  ['fastify', 'fastify'],
  ['elysia', 'elysia'],
  ['koa', 'koa'],
  ['@hapi/hapi', 'hapi'],
  ['express', 'express'],
];

/** A server takes precedence over a build tool: an Express server with a Vite front end is a server if its script `start` runs one. */
export function javaScriptFramework(
  found: FoundFramework | null,
  json: PackageJson,
): JavaScriptFramework | null {
  // Medusa's admin pages are built with Vite.
  if ('@medusajs/framework' in json.dependencies) return { id: 'medusa', serving: medusa };
  // AdonisJS's build compiles the server, and runs Vite for its pages.
  if ('@adonisjs/core' in json.dependencies) return { id: 'adonisjs', serving: adonis };
  // build-info knows the variant for React only; the others look like sites of Vite.
  const isStart = Object.keys(json.dependencies).some((name) => /^@tanstack\/\w+-start$/.test(name));
  const known = isStart ? table['tanstack-start'] : found && table[found.id];
  if (known) return known;
  const serverPackage = serverPackages.find(([name]) => name in json.dependencies);
  return serverPackage
    ? { id: serverPackage[1], serving: serverPackage[1] === 'nestjs' ? nest : server(null) }
    : null;
}

/** Eleventy's script `start` often runs its own server together with a program for the styles. */
function eleventy(app: FrameworkFacts): Serving {
  const ignoresStart = /^(npm-run-all|run-p|concurrently)\s/.test(start(app));
  return { type: 'site', directory: eleventyOutput(app), spa: false, ignoresStart };
}

/** `--output` of the build has precedence over the configuration: https://www.11ty.dev/docs/config/#output-directory */
function eleventyOutput(app: FrameworkFacts): string {
  const names = ['.eleventy.js', ...configs('eleventy')];
  const given =
    /--output[= ]([\w./-]+)/.exec(buildScript(app)) ??
    /\boutput:\s*['"`]([\w./-]+)['"`]/.exec(app.config(...names));
  return posix.join('.', given?.[1] ?? '_site');
}

/** `vitepress build docs` writes its output below docs. */
function below(app: FrameworkFacts, tool: string, output: string): string {
  const scripts = Object.values(app.json.scripts).join('\n');
  const directory = new RegExp(`${tool} build ([\\w./-]+)`).exec(scripts)?.[1] ?? '.';
  return posix.join(directory, output);
}

/** Nitro's server, and the command of Nuxt that starts it. */
const nuxtServer = /\.output\/server\/|\bnux[ti] (start|preview)\b/;
const handlerServer = /\b(react-router|remix)-serve\b/;

/** @param server matches a script `start` that the framework's template has, and whose server this build does not write */
const siteBesideServer =
  (directory: string, server: RegExp, spa = false) =>
  (app: FrameworkFacts): Serving => ({ type: 'site', directory, spa, ignoresStart: server.test(start(app)) });

function routed(app: FrameworkFacts): Serving {
  const config = app.config(...configs('react-router'), ...configs('vite'));
  if (/ssr:\s*false/.test(config)) return siteBesideServer('build/client', handlerServer, true)(app);
  const serve = (program: string) => ({ start: `${program} ./build/server/index.js`, env: everywhere });
  if (dependsOn(app.json, '@react-router/serve')) return { type: 'server', ...serve('react-router-serve') };
  if (dependsOn(app.json, '@remix-run/serve')) return { type: 'server', ...serve('remix-serve') };
  const own = Object.keys(app.json.dependencies).some((name) => name.startsWith('@remix-run/'))
    ? '@remix-run/serve'
    : '@react-router/serve';
  const refusal = `The build is a handler without a server: install "${own}" in the version of the framework, or add a script "start".`;
  return { type: 'server', start: null, refusal, env: everywhere };
}

/** It takes every request for plain HTTP otherwise, which no variable changes: https://docs.astro.build/en/reference/configuration-reference/#securityalloweddomains */
const astroTrust =
  "Warning: Astro's server does not believe the proxy that a visitor uses HTTPS, and refuses forms with 403. Set security: { allowedDomains: [{ hostname: '**' }] } in the Astro configuration; the proxy passes only the names of the service.";

function astro(app: FrameworkFacts): Serving {
  const config = app.config(...configs('astro'));
  const directory = posix.join('.', /outDir:\s*['"`]([\w./-]+)['"`]/.exec(config)?.[1] ?? 'dist');
  const start = `node ./${directory}/server/entry.mjs`;
  if (dependsOn(app.json, '@astrojs/node')) {
    const trusts = /allowedDomains|checkOrigin:\s*false/.test(config);
    return { type: 'server', start, env: everywhere, ...(trusts ? {} : { note: astroTrust }) };
  }
  const vendor = /@astrojs\/(?:vercel|netlify|cloudflare)/.exec(config)?.[0];
  if (vendor && /output:\s*['"`](?:server|hybrid)/.test(config)) {
    const refusal = `The Astro configuration uses ${vendor}, which builds for that platform alone: use @astrojs/node there, or output: "static" for a site without a server.`;
    return { type: 'server', start: null, refusal, env: everywhere };
  }
  return { type: 'site', directory, spa: false };
}

function angular(app: FrameworkFacts): Serving {
  const output = angularOutput(app.config('angular.json'));
  if (!output) return { type: 'site', directory: app.directory, spa: true };
  if (dependsOn(app.json, '@angular/ssr') && !output.isStatic) {
    const env = { ...everywhere, ...angularServerEnv(output) };
    return { type: 'server', start: `node ${output.server}`, startWins: true, env };
  }
  return { type: 'site', directory: output.browser, spa: true };
}

/** The build has its own server, which finds its packages in the parent directory: https://docs.adonisjs.com/guides/deployment */
const adonis = server('node build/bin/server.js', undefined, { startWins: true });

/** Nest's script `start` compiles first, with development tools. */
function nest(app: FrameworkFacts): Serving {
  return {
    type: 'server',
    start: app.json.scripts['start:prod'] ?? 'node dist/main',
    startWins: true,
    env: everywhere,
  };
}
