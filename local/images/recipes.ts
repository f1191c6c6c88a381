/**
 * The images that can be made here when no registry answers: the demo's base image, and the engines that Debian packages. MongoDB and
 * ClickHouse are missing: Debian has no current version of either. A static site needs no image: it is built `FROM scratch`.
 */
import { mysql } from './mysql.ts';
import { nodeSlim } from './node-slim.ts';
import { postgres, timescale } from './postgres.ts';
import type { Recipe } from './recipe.ts';
import { redis } from './redis.ts';

export const recipes: readonly Recipe[] = [nodeSlim, postgres, redis, timescale, mysql];

/** The images that a start needs at once. */
export const startImages: readonly string[] = [nodeSlim.image];

/** Made in advance when no registry answers, the most used ones first. */
export const databaseImages: readonly string[] = [postgres, redis, mysql, timescale].map(
  ({ image }) => image,
);
