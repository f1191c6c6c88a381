/** A stand-in image: what it is made of and how it is made. Used only where no registry answers. */
import { createHash } from 'node:crypto';

export interface Recipe {
  /** The official name that it stands in for. */
  readonly image: string;
  /** All that the image is made of (versions, checksums): a change of any makes a new image. */
  inputs(): Promise<Record<string, string>>;
  /** Fills `root` with the image's files. */
  fill(root: string): Promise<void>;
  /** Owner of a path inside the image: the start need not be root to give files away. */
  owner(path: string): number;
  /** Dockerfile instructions of the image's config. */
  readonly config: readonly string[];
}

/** Label of a stand-in; its value is the recipe's hash. An official image has none. */
export const recipeLabel = 'longshore.recipe';

/** Names the exact result of a recipe: the same inputs and config give the same text, whatever their order. */
export function recipeHash(image: string, inputs: Record<string, string>, config: readonly string[]): string {
  const sorted = Object.entries(inputs).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([image, sorted, config]))
    .digest('hex')
    .slice(0, 32);
}
