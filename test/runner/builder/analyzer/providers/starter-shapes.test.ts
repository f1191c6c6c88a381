/** Files of well-known starters, as few as decide about the plan: what is found, and what is started or served. */
import { describe, expect, test } from 'vitest';
import type { BuildPlan } from '../../../../../runner/builder/analyzer/build-plan.ts';
import { planOf } from './plans.ts';

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
  [
    'Deno with a task',
    { 'deno.json': '{"tasks":{"start":"deno run -A main.ts"}}', 'main.ts': '' },
    null,
    'deno task start',
  ],
];

describe.each([
  ['Node', nodeShapes],
  ['Python', pythonShapes],
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
