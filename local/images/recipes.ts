/** Every stand-in that the project can make. A static site needs none: its image is `FROM scratch`. */
import { nodeSlim } from './node-slim.ts';
import type { Recipe } from './recipe.ts';

export const recipes: readonly Recipe[] = [nodeSlim];

export const recipeOf = (image: string) => recipes.find((recipe) => recipe.image === image);
