/**
 * The images that a start can make where no registry answers: the base image of the demo, and the engines that Debian packages.
 * MongoDB and ClickHouse are not among them: Debian has no current version of either. A static site needs none: its image is `FROM scratch`.
 */
import { mysql } from './mysql.ts';
import { nodeSlim } from './node-slim.ts';
import { postgres, timescale } from './postgres.ts';
import type { Recipe } from './recipe.ts';
import { redis } from './redis.ts';

export const recipes: readonly Recipe[] = [nodeSlim, postgres, redis, timescale, mysql];

/** What a start needs at once. */
export const startImages: readonly string[] = [nodeSlim.image];

/** Made ahead where no registry answers, those that are asked for most first. */
export const databaseImages: readonly string[] = [postgres, redis, mysql, timescale].map(
  ({ image }) => image,
);
