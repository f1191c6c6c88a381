/** A stand-in image: its inputs, and how to build it. Only used when no registry answers. */
import { createHash } from 'node:crypto';

export interface Recipe {
  /** The official name that the stand-in replaces. */
  readonly image: string;
  /** All inputs of the image (versions, checksums): any change creates a new image. */
  inputs(): Promise<Record<string, string>>;
  /** Fills `root` with the image's files. */
  fill(root: string): Promise<void>;
  /** The owner of a path inside the image. This way the start can set owners without being root. */
  owner(path: string): number;
  /** The image's config as Dockerfile instructions. */
  readonly config: readonly string[];
}

/** The label of a stand-in, with its recipe's hash. An official image doesn't have it. */
export const recipeLabel = 'longshore.recipe';

/** Identifies the exact result of a recipe: the same inputs and config give the same text, in any order. */
export function recipeHash(image: string, inputs: Record<string, string>, config: readonly string[]): string {
  const sorted = Object.entries(inputs).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([image, sorted, config]))
    .digest('hex')
    .slice(0, 32);
}
