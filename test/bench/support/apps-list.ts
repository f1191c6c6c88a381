/** Which fixture apps can be built where no container registry answers, and which can't. */

/** By name: the images that its build and its container start from. Packages come from npm's registry or from the app itself. */
export const appImages: Record<string, readonly string[]> = {
  'node-npm': ['node:24-slim'],
  next: ['node:24-slim'],
  'react-router': ['node:24-slim'],
  sveltekit: ['node:24-slim'],
  nestjs: ['node:24-slim'],
  express: ['node:24-slim'],
  fastify: ['node:24-slim'],
  hono: ['node:24-slim'],
  'vite-react': ['node:24-slim'],
  vue: ['node:24-slim'],
  angular: ['node:24-slim'],
  astro: ['node:24-slim'],
  'pnpm-workspace': ['node:24-slim'],
  procfile: ['node:24-slim'],
  bun: ['node:24-slim'],
  deno: ['node:24-slim'],
  shell: ['node:24-slim'],
  static: [],
  python: ['python:3.13-slim'],
  php: ['php:8.4-apache'],
  ruby: ['ruby:3.3-slim'],
  go: ['golang:1.24', 'debian:trixie-slim'],
  rust: ['rust:1.85-slim', 'debian:trixie-slim'],
  elixir: ['elixir:1.18-slim', 'debian:trixie-slim'],
  'java-maven': ['maven:3-eclipse-temurin-21', 'eclipse-temurin:21-jre'],
};

/** By name: what is missing. Their plans are tested without a build. */
export const appsLeftOut: Record<string, string> = {
  dotnet: 'no stand-in for the SDK, which Debian does not package',
  'elixir-phoenix': 'packages from hex.pm',
  'go-gin': 'Go 1.25.3, and modules from the Go proxy',
  'java-gradle': 'no stand-in for gradle:jdk21, and packages from Maven Central',
  'java-spring': 'packages from Maven Central',
  'php-laravel': 'no stand-in for composer:2, and packages from Packagist',
  'python-django': 'Python 3.12.7, and packages from PyPI',
  'python-fastapi': 'packages from PyPI',
  'python-flask': 'packages from PyPI',
  'ruby-rails': 'Ruby 3.4.7, and packages from rubygems.org',
  'rust-axum': 'packages from crates.io',
};
