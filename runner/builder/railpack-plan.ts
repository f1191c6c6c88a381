/**
 * Finds the images in a plan of Railpack (https://railpack.com/reference/build-plan): base images of steps and of the final image, and
 * sources of copies. The repository's `railpack.json` chooses them, so each is pulled to this host first, and the built plan contains their
 * names on this host (docs/decisions/0026).
 */
import { z } from 'zod';
import { JobFailure } from '../base/job-failure.ts';
import { parseImageRef } from '../docker/image-ref.ts';

const planSchema = z.record(z.string(), z.unknown());
type Plan = z.infer<typeof planSchema>;

/** The repository chooses the keys of these maps: a variable may have the name IMAGE. */
const freeMaps = new Set(['variables', 'assets']);
/** Railpack reads keys in upper or lower case. Its versions have used `image` and `baseImage`. */
const isImageKey = (key: string) => /image$/i.test(key);

/** @throws JobFailure `build_failed` when the file contains no plan */
export function readRailpackPlan(text: string): Plan {
  try {
    return planSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new JobFailure('build_failed', 'Railpack wrote a plan that cannot be read.', { cause });
  }
}

/** Far more than in any real plan. Each costs time and a pull. */
const imagesMax = 100;

/**
 * The images' names, with tag or digest.
 * @throws JobFailure `source_refused` for a malformed name, for images of other services, and for more than 100
 */
export function railpackImages(plan: Plan): ReadonlySet<string> {
  const names = new Set<string>();
  try {
    withRailpackImages(plan, (name) => {
      names.add(name);
      return name;
    });
    if (names.size > imagesMax)
      throw new JobFailure('source_refused', `More than ${imagesMax} images are named.`);
  } catch (error) {
    throw namingPlan(error);
  }
  return names;
}

/** Adds to an image's error that the name is in Railpack's plan, and how to choose another image. */
export function namingPlan(error: unknown): unknown {
  if (!(error instanceof JobFailure) || !['source_refused', 'image_failed'].includes(error.code))
    return error;
  const sentence = `${error.message} The images of Railpack's plan are chosen in railpack.json, or by the variables RAILPACK_...: choose others there.`;
  return new JobFailure(error.code, sentence, { cause: error });
}

/** The plan with its images renamed. @throws the errors of `railpackImages` */
export function withRailpackImages(plan: Plan, nameOf: (name: string) => string): Plan {
  return renamed(plan, (text) => nameOf(parseImageRef(text).name)) as Plan;
}

function renamed(value: unknown, nameOf: (text: string) => string): unknown {
  if (Array.isArray(value)) return value.map((one) => renamed(one, nameOf));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => {
    if (freeMaps.has(key)) return [key, inner];
    const isImage = isImageKey(key) && typeof inner === 'string' && inner !== '';
    return [key, isImage ? nameOf(inner) : renamed(inner, nameOf)];
  });
  return Object.fromEntries(entries);
}
