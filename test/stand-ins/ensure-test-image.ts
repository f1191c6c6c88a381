/** `ensureImage` for tests: it also knows the stand-ins that the product does not have. */
import { type EnsureImageOptions, ensureImage, type ImageOrigin } from '../../local/images/ensure-image.ts';
import { standIns } from './recipes.ts';

export const ensureTestImage = (
  image: string,
  options: Omit<EnsureImageOptions, 'recipes'> = {},
): Promise<ImageOrigin> => ensureImage(image, { ...options, recipes: standIns });
