/**
 * Every image that tests use and that this project can make on a machine without a container registry: the product's own, and those that
 * are here because only tests need them. They carry the official names, so that the code under test does not know the difference.
 */
import type { Recipe } from '../../local/images/recipe.ts';
import { databaseImages, recipes, startImages } from '../../local/images/recipes.ts';
import { clickhouse } from './clickhouse.ts';
import { mongo } from './mongo.ts';
import { postgres15 } from './postgres-15.ts';
import { selfHosted } from './self-hosted.ts';
import { toolchains } from './toolchains.ts';
import { wordpress } from './wordpress.ts';

export const standIns: readonly Recipe[] = [
  ...recipes,
  postgres15,
  mongo,
  clickhouse,
  selfHosted,
  wordpress,
  ...toolchains,
];

/** What most tests with Docker use: the base image and the six engines. */
export const engineImages: readonly string[] = [
  ...startImages,
  ...databaseImages,
  mongo.image,
  clickhouse.image,
];
