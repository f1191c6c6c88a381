/** Shapes of popular starters that a plan has got wrong before, each in as few files as possible. */
import { describe, expect, test } from 'vitest';
import { baseImage } from '../../../../../runner/builder/analyzer/base-images.ts';
import type { BuildPlan } from '../../../../../runner/builder/analyzer/build-plan.ts';
import { planOf, startOf } from './plans.ts';

const commands = ({ build }: BuildPlan) =>
  build.steps.flatMap((step) => (step.type === 'run' ? [step.command] : []));

const envOf = ({ build }: BuildPlan) =>
  Object.assign({}, ...build.steps.map((step) => (step.type === 'env' ? step.values : {})));

const csproj = (sdk: string, more = '') => `<Project Sdk="Microsoft.NET.Sdk${sdk}">${more}</Project>`;
const mix = 'app: :shop\n{:phoenix, "~> 1.7"}';

test.each<[string, Record<string, string>, string]>([
  [
    'Go',
    { 'go.mod': 'module github.com/me/shop\n', 'main.go': 'package main', Procfile: 'web: shop -v' },
    '/usr/local/bin/app -v',
  ],
  [
    'Go below bin',
    { 'go.mod': 'module x/shop', 'cmd/api/a.go': 'package main', Procfile: 'web: A=1 bin/api' },
    'A=1 /usr/local/bin/app',
  ],
  [
    'Go with another program',
    { 'go.mod': 'module x/shop', 'main.go': 'package main', Procfile: 'web: sh run' },
    'sh run',
  ],
  [
    'Rust',
    {
      'Cargo.toml': '[package]\nname = "shop"',
      'src/main.rs': '',
      Procfile: 'web: ROCKET_PORT=$PORT ./target/release/shop',
    },
    'ROCKET_PORT=$PORT /usr/local/bin/app',
  ],
  [
    'Maven',
    { 'pom.xml': '', Procfile: 'web: java -Xmx1g -jar target/shop-1.0.jar' },
    'java -Xmx1g -jar /app/app.jar',
  ],
  [
    'Gradle',
    { 'build.gradle': '', Procfile: 'web: java -jar build/libs/shop.jar' },
    'java -jar /app/app.jar',
  ],
  [
    '.NET',
    {
      'Shop/Shop.csproj': csproj('.Web'),
      'x.sln': '',
      Procfile: 'web: cd Shop/bin/publish/; ./Shop --urls http://*:$PORT',
    },
    'dotnet Shop.dll --urls http://*:$PORT',
  ],
  [
    'PHP',
    { 'web/index.php': '', 'composer.json': '{}', Procfile: 'web: heroku-php-apache2 web/' },
    'apache2-foreground',
  ],
  ['Phoenix', { 'mix.exs': mix, Procfile: 'web: MIX_ENV=prod mix phx.server' }, '/app/bin/shop start'],
])('a Procfile for the buildpack of %s starts what is in the image', async (_, files, start) => {
  expect(startOf(await planOf(files))).toBe(start);
});

describe('Go', () => {
  const planOfGo = (line: string, env = {}) =>
    planOf({ 'go.mod': `module x\n\ngo ${line}\n`, 'main.go': 'package main' }, { env });

  test.each([
    ['1.13', 'golang:1'],
    ['1.20', 'golang:1'],
    ['1.21', 'golang:1.21'],
    ['1.24.1', 'golang:1.24'],
  ])('a module of Go %s is built by %s', async (line, image) => {
    expect(baseImage((await planOfGo(line)).build.image)).toBe(image);
  });

  test('a Go before 1.18 that the user chose gets no flag that it does not know', async () => {
    expect(envOf(await planOfGo('1.13', { GO_VERSION: '1.17' }))).not.toHaveProperty('GOFLAGS');
    expect(envOf(await planOfGo('1.13'))).toHaveProperty('GOFLAGS');
  });
});

describe('Rust', () => {
  const crate = (name: string) => `[package]\nauthors = ["Ada <ada@example.com>"]\nname = "${name}"`;

  test('a package is found after a list of its authors', async () => {
    expect((await planOf({ 'Cargo.toml': crate('shop'), 'src/main.rs': '' })).notes).toContain(
      'Program: shop',
    );
  });

  test('members of a workspace are found at any depth, and the server among them is chosen', async () => {
    const files = {
      'Cargo.toml':
        '[workspace]\nmembers = [\n  # "old",\n  "crates/services/web-server",\n  "crates/tools/*",\n]',
      'crates/services/web-server/Cargo.toml': crate('web-server'),
      'crates/services/web-server/src/main.rs': '',
      'crates/tools/gen-key/Cargo.toml': crate('gen-key'),
      'crates/tools/gen-key/src/main.rs': '',
    };
    expect((await planOf(files)).notes).toContain('Program: web-server');
  });

  test('SQLx reads its stored queries, because a build reaches no database', async () => {
    const files = { 'Cargo.toml': crate('shop'), 'src/main.rs': '', '.sqlx/query-1.json': '' };
    expect(envOf(await planOf(files))).toEqual({ SQLX_OFFLINE: 'true' });
  });
});

describe('Python', () => {
  const fastapi = { 'requirements.txt': 'fastapi\nuvicorn' };

  test.each<[string, Record<string, string>, string]>([
    ['made by a function', { 'app/main.py': 'app = create_application(settings)' }, 'app.main:app'],
    ['made by an imported function', { 'app/main.py': 'app: FastAPI = web.get_app()' }, 'app.main:app'],
    [
      'that only a function makes',
      { 'app/server.py': 'def create_app():\n  pass' },
      'app.server:create_app --factory',
    ],
    [
      'of a project below',
      { 'backend/pyproject.toml': '', 'backend/app/main.py': 'app = FastAPI()' },
      'app.main:app --app-dir backend',
    ],
  ])('an app %s is found', async (_, files, target) => {
    expect(startOf(await planOf({ ...fastapi, ...files }))).toContain(`uvicorn ${target} --host`);
  });

  const django = {
    'requirements.txt': 'django\ngunicorn\nwhitenoise',
    'manage.py': '',
    'shop/wsgi.py': '',
    'shop/settings.py': "STATIC_ROOT = 'static'",
  };

  test('Django collects its static files also if a Procfile starts it, but not for a worker', async () => {
    const files = { ...django, Procfile: 'web: gunicorn shop.wsgi' };
    const collect = 'python manage.py collectstatic --noinput';
    expect(commands(await planOf(files))).toContain(collect);
    expect(commands(await planOf(files, { runtimeMode: 'worker' }))).not.toContain(collect);
    expect(commands(await planOf(files, { env: { DISABLE_COLLECTSTATIC: '1' } }))).not.toContain(collect);
  });

  test('a Django project below src is built and started there', async () => {
    const moved = Object.entries(django).map(([path, text]) => [
      path.includes('.txt') ? path : `src/${path}`,
      text,
    ]);
    const plan = await planOf(Object.fromEntries(moved));
    expect(startOf(plan)).toBe('gunicorn --chdir src --bind 0.0.0.0:$PORT shop.wsgi:application');
    expect(commands(plan)).toContain('python src/manage.py collectstatic --noinput');
  });
});

test('libraries of a .NET solution and the client of a server are no programs', async () => {
  const files = {
    'x.sln': '',
    'src/Defaults/Defaults.csproj': csproj('', '<FrameworkReference Include="Microsoft.AspNetCore.App" />'),
    'src/Client/Client.csproj': csproj('.BlazorWebAssembly'),
    'src/Web/Web.csproj': csproj('.Web'),
  };
  expect((await planOf(files)).notes).toContain('Project: src/Web/Web.csproj');
});

describe('Java', () => {
  const boot = '<artifactId>spring-boot-maven-plugin</artifactId>';
  const pom = {
    'pom.xml': '<module>config</module><module>gateway</module>',
    'config/pom.xml': boot,
    'gateway/pom.xml': boot,
  };

  test('several programs of a Maven build are refused with their names, and JAVA_MODULE chooses one', async () => {
    await expect(planOf(pom)).rejects.toThrow(
      'There are several programs (config, gateway): set the variable JAVA_MODULE',
    );
    expect(commands(await planOf(pom, { env: { JAVA_MODULE: 'gateway' } })).join()).toContain(
      '--projects gateway',
    );
    await expect(planOf(pom, { env: { JAVA_MODULE: 'x' } })).rejects.toThrow(
      'JAVA_MODULE is x, but there is no such program',
    );
  });

  test('a plugin that the root of a Gradle build only names does not make it the program', async () => {
    const files = {
      'settings.gradle': "include 'core', 'shop-web'",
      'build.gradle': "id 'org.springframework.boot' version '3.4.0' apply false",
      'core/build.gradle': '',
      'shop-web/build.gradle': "id 'org.springframework.boot'",
    };
    expect(commands(await planOf(files)).join()).toContain(':shop-web:assemble');
  });
});

test('WordPress as a package of Composer gets the extension for its database', async () => {
  const composer = JSON.stringify({ require: { 'roots/wordpress': '6' } });
  expect(commands(await planOf({ 'composer.json': composer, 'web/index.php': '' })).join()).toContain(
    'mysqli',
  );
});

test.each([
  ['is built by its own script', mix, ['npm run deploy', 'mix phx.digest']],
  ['is installed for the build of Mix', `${mix}\n"assets.deploy": []`, ['npm install', 'mix assets.deploy']],
])('a front end below assets of Phoenix %s', async (_, project, steps) => {
  const files = { 'mix.exs': project, 'assets/package.json': '{"scripts":{"deploy":"esbuild"}}' };
  const ran = commands(await planOf(files)).join('\n');
  for (const step of steps) expect(ran).toContain(step);
  expect(ran.includes('mix phx.digest')).toBe(!project.includes('assets.deploy'));
});

test('a service root without a project is refused with the directories that have one', async () => {
  const files = {
    'README.md': '',
    'complete/pom.xml': '',
    'complete/sub/pom.xml': '',
    'initial/pom.xml': '',
  };
  await expect(planOf(files)).rejects.toThrow('set rootDir to one of complete, initial, or');
  await expect(planOf({ 'docs/README.md': '' })).rejects.toThrow(
    'Nothing in this repository says how to build it',
  );
  for (const name of ['docker-compose.yml', 'compose.yaml']) {
    await expect(planOf({ [name]: 'services: {}' })).rejects.toThrow(
      `${name} is not read: each of its services`,
    );
    await expect(planOf({ [name]: '', 'app/pom.xml': '' })).rejects.toThrow('set rootDir to app');
  }
});

test('APT_PACKAGES adds Debian packages to the build and to what runs', async () => {
  const files = { 'requirements.txt': 'flask', 'app.py': 'app = Flask(__name__)' };
  const plan = await planOf(files, { env: { APT_PACKAGES: 'ffmpeg, libvips42' } });
  expect(plan.build.packages).toEqual(['ffmpeg', 'libvips42']);
  expect(plan.output).toMatchObject({ packages: ['ffmpeg', 'libvips42'] });
  await expect(planOf(files, { env: { APT_PACKAGES: 'x; curl y' } })).rejects.toThrow('contains "x;"');
});

test('a release command of a Procfile for a buildpack runs the program that is in the image, too', async () => {
  const files = {
    'Cargo.toml': '[package]\nname = "shop"',
    'src/main.rs': '',
    Procfile: 'web: ./target/release/shop server\nrelease: ./target/release/shop migrate',
  };
  expect(await planOf(files)).toMatchObject({ release: '/usr/local/bin/app migrate' });
});

test('a package.json that only holds tools is refused with the directories of the apps', async () => {
  const app = '{"scripts":{"start":"node x","build":"x"}}';
  const files = {
    'package.json': '{}',
    'client/package.json': app,
    'server/package.json': app,
    'docs/package.json': '{}',
  };
  await expect(planOf(files)).rejects.toThrow(
    'set rootDir to one of client, server, or add a script "start"',
  );
});

test('extensions of PHP that composer.json requires are installed, or the log says that they are not', async () => {
  const required = { 'ext-tidy': '*', 'ext-mongodb': '*', 'ext-json': '*', 'ext-swoole': '*' };
  const plan = await planOf({ 'composer.json': JSON.stringify({ require: required }), 'index.php': '' });
  expect(commands(plan)[0]).toBe(
    'docker-php-ext-install -j"$(nproc)" tidy && pecl install mongodb && docker-php-ext-enable mongodb',
  );
  expect(plan.notes.filter((note) => note.startsWith('Warning'))).toEqual([
    'Warning: these extensions are not installed: swoole. A Dockerfile can install them.',
  ]);
});

test('a release command with Mix runs the migration of the release, if the project has one', async () => {
  const files = { 'mix.exs': mix, Procfile: 'web: mix phx.server\nrelease: POOL_SIZE=2 mix ecto.migrate' };
  expect((await planOf(files)).release).toBe('POOL_SIZE=2 mix ecto.migrate');
  const module = 'defmodule Shop.Release do\n  def migrate do\n';
  expect((await planOf({ ...files, 'lib/shop/release.ex': module })).release).toBe(
    '/app/bin/shop eval "Shop.Release.migrate"',
  );
});
