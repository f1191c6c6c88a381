/** The only map from the needs of a plan to the image that provides them. */
import type { BaseImageRef } from './build-plan.ts';

interface BaseImage {
  /** Official image; `{version}` is replaced. */
  image: string;
  /** The default version, for a project that sets none. */
  version: string;
}

/**
 * Small Debian variants: all with the same C library and with apt. The versions are those with security support now. The tags do not name a
 * Debian release, because old versions exist only on an old release. Programs built there also run on the newer release of the image
 * `debian`.
 */
const baseImages = {
  node: { image: 'node:{version}-slim', version: '24' },
  debian: { image: 'debian:{version}-slim', version: 'trixie' },
  python: { image: 'python:{version}-slim', version: '3.13' },
  php: { image: 'php:{version}-apache', version: '8.4' },
  composer: { image: 'composer:{version}', version: '2' },
  go: { image: 'golang:{version}', version: '1' },
  rust: { image: 'rust:{version}-slim', version: '1' },
  ruby: { image: 'ruby:{version}-slim', version: '3.4' },
  elixir: { image: 'elixir:{version}-slim', version: '1.18' },
  jdk: { image: 'eclipse-temurin:{version}-jdk', version: '21' },
  jre: { image: 'eclipse-temurin:{version}-jre', version: '21' },
  maven: { image: 'maven:3-eclipse-temurin-{version}', version: '21' },
  gradle: { image: 'gradle:jdk{version}', version: '21' },
  // Compilers and the headers of common libraries, of the same release as `debian`.
  native: { image: 'buildpack-deps:{version}', version: 'trixie' },
  // Only this registry has the image.
  'dotnet-sdk': { image: 'mcr.microsoft.com/dotnet/sdk:{version}', version: '10.0' },
  'dotnet-aspnet': { image: 'mcr.microsoft.com/dotnet/aspnet:{version}', version: '10.0' },
  'dotnet-runtime': { image: 'mcr.microsoft.com/dotnet/runtime:{version}', version: '10.0' },
  // Runs in BuildKit instead of a Dockerfile; always in the version of the host's Railpack.
  'railpack-frontend': { image: 'ghcr.io/railwayapp/railpack-frontend:v{version}', version: '' },
} as const satisfies Record<string, BaseImage>;

/** A host's settings: `node` for every version (`{version}` is replaced), `node:24` for one version. */
export type BaseImageOverrides = Readonly<Record<string, string>>;

/** @throws Error for a name that is not in the map, which is a bug in a provider */
export function baseImage({ name, version }: BaseImageRef, overrides: BaseImageOverrides = {}): string {
  const known = (baseImages as Record<string, BaseImage>)[name];
  if (!known) throw new Error(`there is no base image named ${name}`);
  const wanted = version ?? known.version;
  const image = overrides[`${name}:${wanted}`] ?? overrides[name] ?? known.image;
  return image.replaceAll('{version}', wanted);
}
