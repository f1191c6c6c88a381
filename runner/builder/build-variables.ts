/**
 * Which variables of a service its build can see. Frameworks read their variables during the build: NEXT_PUBLIC_API, or DATABASE_URL for
 * prerendered pages.
 *
 * They are passed as build arguments, which BuildKit keeps out of the images of later stages. The classic builder writes them into the
 * history of intermediate images, which stay on the host, so it only gets variables that end up in pages anyway.
 */
import type { Builder } from '../docker/image-build/builder.ts';
import { isBuildersOwn } from './dockerfile/reserved-names.ts';

/** Prefixes of variables that frameworks send to browsers. */
const publicPrefixes =
  /^(NEXT_PUBLIC|NUXT_PUBLIC|VITE|PUBLIC|REACT_APP|VUE_APP|GATSBY|EXPO_PUBLIC|NG_APP|STORYBOOK|ASTRO_PUBLIC)_/;

/** Variables that would break the build's own tools. */
const ownOfTheImage = new Set(['PATH', 'HOME', 'LD_PRELOAD', 'LD_LIBRARY_PATH']);

/** The service's variables that its build gets, sorted by name. */
export function buildVariables(
  env: Readonly<Record<string, string>>,
  builder: Builder,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env)
      .filter(([name]) => !ownOfTheImage.has(name) && !isBuildersOwn(name))
      .filter(([name]) => builder === 'buildkit' || publicPrefixes.test(name))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** Variables that would steer BuildKit itself (BUILDKIT_SYNTAX names a program that it runs): a build never gets them. */
export const withheldVariables = (env: Readonly<Record<string, string>>): string[] =>
  Object.keys(env).filter(isBuildersOwn).sort();
