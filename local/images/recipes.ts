/** Every stand-in that the project can make. A static site needs none: its image is `FROM scratch`. */
import { clickhouse } from './clickhouse.ts';
import { mongo } from './mongo.ts';
import { mysql } from './mysql.ts';
import { nodeSlim } from './node-slim.ts';
import { postgres, timescale } from './postgres.ts';
import type { Recipe } from './recipe.ts';
import { redis } from './redis.ts';
import { toolchains } from './toolchains.ts';

const recipes: readonly Recipe[] = [
  nodeSlim,
  postgres,
  redis,
  timescale,
  mysql,
  mongo,
  clickhouse,
  ...toolchains,
];

export const recipeOf = (image: string) => recipes.find((recipe) => recipe.image === image);

/** What a start needs at once. */
export const startImages: readonly string[] = [nodeSlim.image];

/** Made ahead where no registry answers, those that are asked for most first. */
export const databaseImages: readonly string[] = [postgres, redis, mysql, mongo, timescale, clickhouse].map(
  ({ image }) => image,
);

/** What `npm test` uses. */
export const testImages: readonly string[] = [...startImages, ...databaseImages];
