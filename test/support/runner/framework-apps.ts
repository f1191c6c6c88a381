/**
 * New projects of frameworks, as few files as their builds need, under each package manager. All versions that a package.json names are
 * exact; none has a lock file, so the packages below them are today's.
 */

export const managers = {
  npm: { packageManager: undefined, files: {} },
  pnpm: { packageManager: 'pnpm@10.34.9', files: {} },
  'yarn-1': { packageManager: 'yarn@1.22.22', files: {} },
  'yarn-4': { packageManager: 'yarn@4.18.1', files: { '.yarnrc.yml': 'nodeLinker: node-modules\n' } },
  'yarn-4-pnp': { packageManager: 'yarn@4.18.1', files: {} },
  bun: { packageManager: 'bun@1.4.5', files: {} },
} as const;
export type Manager = keyof typeof managers;

interface App {
  scripts: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  files: Record<string, string>;
  /** In the page that the deployed app answers with. */
  page: string;
}

/** Newer ones depend on a package that not every mirror of the registry has. */
const vite = '8.2.0';
const react = { react: '19.3.1', 'react-dom': '19.3.1' };
const svelteKit = (adapter: string, version: string, options = '') => ({
  scripts: { build: 'vite build' },
  devDependencies: {
    [`@sveltejs/adapter-${adapter}`]: version,
    '@sveltejs/kit': '2.70.4',
    '@sveltejs/vite-plugin-svelte': '7.3.1',
    svelte: '5.57.3',
    vite,
  },
  files: {
    'vite.config.ts': `
      import adapter from '@sveltejs/adapter-${adapter}';
      import { sveltekit } from '@sveltejs/kit/vite';
      export default { plugins: [sveltekit({ adapter: adapter(${options}) })] };`,
    'src/app.html':
      '<!doctype html><html lang="en"><head>%sveltekit.head%</head><body><div>%sveltekit.body%</div></body></html>',
    'src/routes/+page.svelte': '<h1>made by svelte</h1>',
  },
});
const reactRouter = (options: string) => ({
  scripts: { build: 'react-router build', start: 'react-router-serve ./build/server/index.js' },
  dependencies: {
    '@react-router/node': '8.4.0',
    '@react-router/serve': '8.4.0',
    isbot: '5.2.3',
    'react-router': '8.4.0',
    ...react,
  },
  devDependencies: { '@react-router/dev': '8.4.0', typescript: '5.9.3', vite },
  files: {
    'react-router.config.ts': `export default ${options};`,
    'vite.config.ts':
      "import { reactRouter } from '@react-router/dev/vite'; export default { plugins: [reactRouter()] };",
    'app/routes.ts': "import { index } from '@react-router/dev/routes'; export default [index('home.tsx')];",
    'app/home.tsx': 'export default function Home() { return <h1>made by router</h1>; }',
    'app/root.tsx': `
      import { Outlet, Scripts } from 'react-router';
      export function Layout({ children }) {
        return <html lang="en"><head><title>made by router</title></head><body>{children}<Scripts /></body></html>;
      }
      export default Outlet;`,
  },
});
const next = (options: string) => ({
  scripts: { build: 'next build', start: 'next start' },
  dependencies: { next: '16.4.3', react: '19.3.0', 'react-dom': '19.3.0' },
  files: {
    'next.config.mjs': `export default ${options};`,
    'app/page.jsx': 'export default function Page() { return <h1>made by next</h1>; }',
    'app/layout.jsx':
      'export default function Layout({ children }) { return <html lang="en"><body>{children}</body></html>; }',
  },
});

export const frameworkApps = {
  'sveltekit-auto': { ...svelteKit('auto', '7.0.1'), page: 'made by svelte' },
  'sveltekit-fallback': addFiles(
    { ...svelteKit('static', '3.0.11', "{ pages: 'site', fallback: '200.html' }"), page: '_app/immutable' },
    { 'src/routes/+layout.ts': 'export const ssr = false;' },
  ),
  'react-router': { ...reactRouter('{ ssr: true }'), page: 'made by router' },
  'react-router-spa': { ...reactRouter('{ ssr: false }'), page: 'made by router' },
  next: { ...next('{}'), page: 'made by next' },
  'next-export': { ...next("{ output: 'export' }"), page: 'made by next' },
  nuxt: {
    scripts: { build: 'nuxt build', postinstall: 'nuxt prepare' },
    dependencies: { nuxt: '4.5.2', vue: '3.5.45', 'vue-router': '5.5.1' },
    files: {
      'nuxt.config.ts': "export default defineNuxtConfig({ compatibilityDate: '2025-07-15' });",
      'app/app.vue': '<template><h1>made by nuxt</h1></template>',
    },
    page: 'made by nuxt',
  },
  'astro-node': {
    scripts: { build: 'astro build' },
    dependencies: { astro: '7.3.5', '@astrojs/node': '11.1.6' },
    files: {
      'astro.config.mjs': `
        import node from '@astrojs/node';
        export default { output: 'server', adapter: node({ mode: 'standalone' }) };`,
      'src/pages/index.astro': '<html lang="en"><body><h1>made by astro</h1></body></html>',
    },
    page: 'made by astro',
  },
  'solid-start': {
    scripts: { build: 'vite build', start: 'node .output/server/index.mjs' },
    dependencies: {
      '@solidjs/router': '1.0.0',
      '@solidjs/start': '2.0.5',
      nitro: '3.0.260610-beta',
      'solid-js': '1.9.20',
      vite,
    },
    files: {
      'vite.config.ts': `
        import { solidStart } from '@solidjs/start/config';
        import { nitro } from 'nitro/vite';
        export default { plugins: [solidStart(), nitro()] };`,
      'src/app.tsx': 'export default function App() { return <h1>made by solid</h1>; }',
      'src/entry-client.tsx': `
        import { mount, StartClient } from '@solidjs/start/client';
        mount(() => <StartClient />, document.getElementById('app'));`,
      'src/entry-server.tsx': `
        import { createHandler, StartServer } from '@solidjs/start/server';
        export default createHandler(() => <StartServer document={({ assets, children, scripts }) => (
          <html lang="en"><head>{assets}</head><body><div id="app">{children}</div>{scripts}</body></html>)} />);`,
      'tsconfig.json': '{"compilerOptions":{"jsx":"preserve","jsxImportSource":"solid-js"}}',
    },
    page: 'made by solid',
  },
  waku: {
    scripts: { build: 'waku build', start: 'waku start' },
    dependencies: { waku: '1.0.0-rc.1', 'react-server-dom-webpack': '19.3.1', hono: '4.13.19', ...react },
    devDependencies: { '@tailwindcss/vite': '4.3.3', '@vitejs/plugin-react': '6.3.0', tailwindcss: '4.3.5' },
    files: {
      'waku.config.ts': `
        import tailwind from '@tailwindcss/vite';
        import react from '@vitejs/plugin-react';
        import { defineConfig } from 'waku/config';
        export default defineConfig({ vite: { plugins: [tailwind(), react()] } });`,
      'src/pages/index.tsx': 'export default function Page() { return <h1>made by waku</h1>; }',
    },
    page: 'made by waku',
  },
  nest: {
    scripts: { build: 'nest build', start: 'nest start', 'start:prod': 'node dist/main' },
    dependencies: {
      '@nestjs/common': '12.5.1',
      '@nestjs/core': '12.5.1',
      '@nestjs/platform-express': '12.5.1',
      'reflect-metadata': '0.2.2',
      rxjs: '7.8.2',
    },
    devDependencies: { '@nestjs/cli': '12.0.8', typescript: '5.9.3', '@types/node': '24.19.4' },
    files: {
      'nest-cli.json': '{"sourceRoot":"src"}',
      'tsconfig.json':
        '{"compilerOptions":{"module":"nodenext","moduleResolution":"nodenext","target":"es2023","outDir":"dist","rootDir":"src","experimentalDecorators":true,"emitDecoratorMetadata":true,"skipLibCheck":true,"types":["node"]}}',
      'src/main.ts': `
        import { Controller, Get, Module } from '@nestjs/common';
        import { NestFactory } from '@nestjs/core';
        @Controller() class Pages { @Get() first() { return 'made by nest'; } }
        @Module({ controllers: [Pages] }) class App {}
        const app = await NestFactory.create(App);
        await app.listen(process.env.PORT ?? 3000);`,
    },
    page: 'made by nest',
  },
  'angular-ssr': {
    scripts: { build: 'ng build', start: 'ng serve' },
    dependencies: {
      ...angular('common', 'compiler', 'core', 'platform-browser', 'platform-server', 'router', 'ssr'),
      rxjs: '7.8.2',
      tslib: '2.8.1',
    },
    devDependencies: {
      ...angular('build', 'cli', 'compiler-cli'),
      '@types/node': '22.20.7',
      typescript: '6.0.3',
    },
    files: {
      'angular.json': JSON.stringify({
        version: 1,
        projects: {
          shop: {
            projectType: 'application',
            root: '',
            architect: {
              build: {
                builder: '@angular/build:application',
                options: {
                  browser: 'src/main.ts',
                  index: 'src/index.html',
                  outputMode: 'server',
                  security: { allowedHosts: [] },
                  server: 'src/main.server.ts',
                  ssr: { entry: 'src/server.ts' },
                  tsConfig: 'tsconfig.json',
                },
              },
            },
          },
        },
      }),
      'tsconfig.json':
        '{"compilerOptions":{"target":"ES2022","module":"preserve","skipLibCheck":true,"experimentalDecorators":true,"importHelpers":true,"types":["node"]},"include":["src/**/*.ts"]}',
      'src/index.html':
        '<!doctype html><html lang="en"><head><base href="/"></head><body><app-root></app-root></body></html>',
      'src/app.ts': `
        import { Component } from '@angular/core';
        @Component({ selector: 'app-root', template: '<h1>made by {{ name }}</h1>' })
        export class App { name = 'angular'; }`,
      'src/main.ts': `
        import { bootstrapApplication } from '@angular/platform-browser';
        import { App } from './app';
        bootstrapApplication(App, { providers: [] });`,
      'src/main.server.ts': `
        import { type BootstrapContext, bootstrapApplication } from '@angular/platform-browser';
        import { provideServerRendering, RenderMode, withRoutes } from '@angular/ssr';
        import { provideRouter } from '@angular/router';
        import { App } from './app';
        const routes = withRoutes([{ path: '**', renderMode: RenderMode.Server }]);
        const providers = [provideRouter([]), provideServerRendering(routes)];
        export default (context: BootstrapContext) => bootstrapApplication(App, { providers }, context);`,
      'src/server.ts': `
        import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
        import { AngularNodeAppEngine, createNodeRequestHandler, isMainModule, writeResponseToNodeResponse } from '@angular/ssr/node';
        const angular = new AngularNodeAppEngine();
        const handle = async (request: IncomingMessage, response: ServerResponse) => {
          const page = await angular.handle(request);
          if (page) await writeResponseToNodeResponse(page, response);
          else response.writeHead(404).end();
        };
        export const reqHandler = createNodeRequestHandler(handle);
        if (isMainModule(import.meta.url)) createServer(handle).listen(process.env['PORT']);`,
    },
    page: 'made by angular',
  },
} satisfies Record<string, App>;
export type FrameworkApp = keyof typeof frameworkApps;

/** All files of the app for a package manager. */
export function frameworkFiles(name: FrameworkApp, manager: Manager): Record<string, string> {
  const { page: _, files, ...json }: App = frameworkApps[name];
  const { packageManager, files: more } = managers[manager];
  const pinned = { vite };
  const manifest = {
    name: `shop-${name}`,
    version: '1.0.0',
    private: true,
    type: 'module',
    packageManager,
    ...json,
    overrides: pinned,
    resolutions: pinned,
    pnpm: { overrides: pinned, onlyBuiltDependencies: ['esbuild'] },
  };
  return { ...files, ...more, 'package.json': JSON.stringify(manifest) };
}

function addFiles<Of extends App>(app: Of, files: Record<string, string>): Of {
  return { ...app, files: { ...app.files, ...files } };
}

function angular(...names: string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [`@angular/${name}`, '22.2.0']));
}
