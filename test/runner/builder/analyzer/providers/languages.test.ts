import { expect, test } from 'vitest';
import { baseImage } from '../../../../../runner/builder/analyzer/base-images.ts';
import type { BuildPlan } from '../../../../../runner/builder/analyzer/build-plan.ts';
import { detect } from '../../../../../runner/builder/analyzer/detect.ts';
import { projectOnDisk } from '../../../../../runner/builder/analyzer/disk-files.ts';
import { dockerfile } from '../../../../../runner/builder/analyzer/dockerfile.ts';
import { fixtureDirectory } from '../../../../support/fixture-app.ts';
import { memoryFiles } from '../../../../support/runner/memory-files.ts';
import { overridesOf, planOf, startOf } from './plans.ts';

interface Expected {
  provider: string;
  framework: string | null;
  /** Of the build and of what runs. */
  images: [string, string];
  start: string;
}

const expected: Record<string, Expected> = {
  python: {
    provider: 'python',
    framework: null,
    images: ['python:3.13-slim', 'python:3.13-slim'],
    start: 'python main.py',
  },
  'python-django': {
    provider: 'python',
    framework: 'django',
    images: ['python:3.12-slim', 'python:3.12-slim'],
    start: 'gunicorn --bind 0.0.0.0:$PORT shop.wsgi:application',
  },
  'python-fastapi': {
    provider: 'python',
    framework: 'fastapi',
    images: ['python:3.13-slim', 'python:3.13-slim'],
    start:
      'uvicorn orders.main:app --app-dir src --host 0.0.0.0 --port $PORT --proxy-headers --forwarded-allow-ips="*"',
  },
  'python-flask': {
    provider: 'python',
    framework: 'flask',
    images: ['python:3.13-slim', 'python:3.13-slim'],
    start: "exec gunicorn --bind 0.0.0.0:$PORT 'guestbook:create_app()'",
  },
  php: {
    provider: 'php',
    framework: null,
    images: ['php:8.4-apache', 'php:8.4-apache'],
    start: 'apache2-foreground',
  },
  'php-laravel': {
    provider: 'php',
    framework: 'laravel',
    images: ['php:8.4-apache', 'php:8.4-apache'],
    start: 'apache2-foreground',
  },
  go: {
    provider: 'go',
    framework: null,
    images: ['golang:1.24', 'debian:trixie-slim'],
    start: '/usr/local/bin/app',
  },
  'go-gin': {
    provider: 'go',
    framework: 'gin',
    images: ['golang:1.25', 'debian:trixie-slim'],
    start: '/usr/local/bin/app',
  },
  rust: {
    provider: 'rust',
    framework: null,
    images: ['rust:1.85-slim', 'debian:trixie-slim'],
    start: '/usr/local/bin/app',
  },
  'rust-axum': {
    provider: 'rust',
    framework: 'axum',
    images: ['rust:1-slim', 'debian:trixie-slim'],
    start: '/usr/local/bin/app',
  },
  ruby: {
    provider: 'ruby',
    framework: null,
    images: ['ruby:3.3-slim', 'ruby:3.3-slim'],
    start: 'bundle exec ruby app.rb',
  },
  'ruby-rails': {
    provider: 'ruby',
    framework: 'rails',
    images: ['ruby:3.4.7-slim', 'ruby:3.4.7-slim'],
    start: 'bundle exec rails server -b 0.0.0.0 -p $PORT',
  },
  'java-maven': {
    provider: 'java',
    framework: null,
    images: ['maven:3-eclipse-temurin-21', 'eclipse-temurin:21-jre'],
    start: 'java -XX:MaxRAMPercentage=75 -jar /app/app.jar',
  },
  'java-gradle': {
    provider: 'java',
    framework: null,
    images: ['gradle:jdk17', 'eclipse-temurin:17-jre'],
    start: '/app/bin/app',
  },
  'java-spring': {
    provider: 'java',
    framework: 'spring-boot',
    images: ['maven:3-eclipse-temurin-17', 'eclipse-temurin:17-jre'],
    start: 'java -XX:MaxRAMPercentage=75 -Dserver.port=$PORT -jar /app/app.jar',
  },
  cmake: {
    provider: 'native',
    framework: null,
    images: ['buildpack-deps:trixie', 'debian:trixie-slim'],
    start: '/usr/local/bin/app',
  },
  meson: {
    provider: 'native',
    framework: null,
    images: ['buildpack-deps:trixie', 'debian:trixie-slim'],
    start: '/usr/local/bin/app',
  },
  dotnet: {
    provider: 'dotnet',
    framework: 'aspnet',
    images: ['mcr.microsoft.com/dotnet/sdk:9.0', 'mcr.microsoft.com/dotnet/aspnet:9.0'],
    start: 'ASPNETCORE_URLS=http://0.0.0.0:$PORT dotnet Shop.dll',
  },
  elixir: {
    provider: 'elixir',
    framework: null,
    images: ['elixir:1.18-slim', 'debian:trixie-slim'],
    start: '/app/bin/shop start',
  },
  'elixir-phoenix': {
    provider: 'elixir',
    framework: 'phoenix',
    images: ['elixir:1.18-slim', 'debian:trixie-slim'],
    start: '/app/bin/orders start',
  },
};

function shape(plan: BuildPlan): Expected {
  if (plan.output.type === 'site') throw new Error('a site');
  const { provider, framework, build, output } = plan;
  return {
    provider,
    framework,
    images: [baseImage(build.image), baseImage(output.image)],
    start: output.start,
  };
}

test.each(Object.entries(expected))(
  '%s is detected, with its version and what starts it',
  async (name, plan) => {
    expect(shape(await detect(projectOnDisk(fixtureDirectory(name)), overridesOf()))).toEqual(plan);
  },
);

test.each(Object.keys(expected))('%s is built by the expected Dockerfile', async (name) => {
  const plan = await detect(projectOnDisk(fixtureDirectory(name)), overridesOf());
  const text = dockerfile(plan, { serviceId: 'svc_1', builder: 'buildkit', variables: ['GREETING'] });
  await expect(text).toMatchFileSnapshot(`./dockerfiles/${name}.Dockerfile`);
});

test.each([
  ['composer.json', { 'composer.json': '{}', 'index.php': '' }, 'php'],
  ['mix.exs', { 'mix.exs': 'app: :shop' }, 'elixir'],
  ['go.mod', { 'go.mod': 'module x', 'main.go': 'package main' }, 'go'],
  ['Gemfile', { Gemfile: '', 'app.rb': '' }, 'ruby'],
  ['requirements.txt', { 'requirements.txt': '', 'main.py': '' }, 'python'],
])('a package.json next to %s is its front end', async (_, files, provider) => {
  expect((await planOf({ ...files, 'package.json': '{}' })).provider).toBe(provider);
});

test('a package.json wins over a pyproject.toml that only configures tools, and over a lone script', async () => {
  const node = { 'package.json': '{"scripts":{"start":"node x"}}' };
  expect((await planOf({ ...node, 'pyproject.toml': '[tool.ruff]', 'run.py': '' })).provider).toBe('node');
});

test.each([
  ['python', { 'requirements.txt': 'flask' }, 'PYTHON_VERSION', '3.12', 'python:3.12-slim'],
  ['php', { 'index.php': '' }, 'PHP_VERSION', '8.3.1', 'php:8.3-apache'],
  ['go', { 'main.go': 'package main' }, 'GO_VERSION', '1.23.4', 'golang:1.23'],
  ['ruby', { Gemfile: '', 'app.rb': '' }, 'RUBY_VERSION', '3.2.1', 'ruby:3.2.1-slim'],
  [
    'rust',
    { 'Cargo.toml': '[package]\nname = "x"', 'src/main.rs': '' },
    'RUST_VERSION',
    '1.80',
    'rust:1.80-slim',
  ],
  ['java', { 'pom.xml': '' }, 'JAVA_VERSION', '17', 'maven:3-eclipse-temurin-17'],
  ['elixir', { 'mix.exs': 'app: :x' }, 'ELIXIR_VERSION', '1.17', 'elixir:1.17-slim'],
  [
    'dotnet',
    { 'X.csproj': '<Project Sdk="Microsoft.NET.Sdk.Web">' },
    'DOTNET_VERSION',
    '8.0',
    'mcr.microsoft.com/dotnet/sdk:8.0',
  ],
])('%s takes its version from the variable before version files', async (_, files, name, version, image) => {
  const plan = await planOf(
    { ...files, '.tool-versions': 'python 3.10\nruby 3.1.0\njava 11\n' },
    {
      env: { [name]: version },
      startCommand: 'x',
    },
  );
  expect(baseImage(plan.build.image)).toBe(image);
});

test.each(Object.keys(expected))("%s uses the user's commands instead of its own", async (name) => {
  const commands = { installCommand: 'own install', buildCommand: 'own build', startCommand: 'own start' };
  const plan = await detect(projectOnDisk(fixtureDirectory(name)), overridesOf(commands));
  const ran = plan.build.steps.flatMap((step) => (step.type === 'run' ? [step.command] : []));
  expect(ran).toEqual(expect.arrayContaining(['own install', 'own build']));
  expect(startOf(plan)).toBe('own start');
  expect(ran.join('\n')).not.toMatch(
    /go build|cargo build|mvn|gradle |dotnet|mix release|cmake|meson|pip install -r|bundle install/,
  );
});

test('a static output turns any language into a static site', async () => {
  const plan = await planOf(
    { 'requirements.txt': 'mkdocs' },
    { buildCommand: 'mkdocs build', staticOutput: 'site' },
  );
  expect(plan.output).toEqual({ type: 'site', directory: 'site', spa: false });
});

test('a Procfile overrides what a provider would start', async () => {
  const files = { 'requirements.txt': 'flask', 'app.py': 'app = Flask(__name__)', Procfile: 'web: own' };
  expect(startOf(await detect(memoryFiles(files), overridesOf()))).toBe('own');
});

test('the log of a Python build names the variable that keeps its tool from asking an index', async () => {
  const files = { 'requirements.txt': 'flask', 'main.py': '' };
  for (const name of ['PIP_NO_INDEX', 'UV_NO_INDEX', 'UV_OFFLINE']) {
    const note = `No package index is asked, because the variable ${name} is set`;
    expect((await planOf(files, { env: { [name]: '1' } })).notes).toContain(note);
    expect((await planOf(files, { env: { [name]: 'false' } })).notes).not.toContain(note);
  }
});
