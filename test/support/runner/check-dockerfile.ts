/** Checks a Dockerfile as a build does, but without Docker. */
import { checkDockerfile } from '../../../runner/builder/dockerfile/check.ts';
import { parseDockerfile } from '../../../runner/builder/dockerfile/parse.ts';
import { platformArguments, referencesOf } from '../../../runner/builder/dockerfile/references.ts';
import type { CheckedDockerfile } from '../../../runner/builder/dockerfile/rewriting.ts';
import type { BaseImage } from '../../../runner/builder/dockerfile/scope.ts';

export const plainImage: BaseImage = { env: {}, interpreter: null, triggers: [] };
export const names = { image: (name: string) => name, added: 'added' };

export function check(
  text: string | Uint8Array,
  images: Record<string, BaseImage> = {},
  given: ReadonlyMap<string, string> = new Map(),
): CheckedDockerfile {
  const dockerfile = parseDockerfile(typeof text === 'string' ? Buffer.from(text) : text);
  const automatic = platformArguments();
  const references = referencesOf(dockerfile, automatic, given);
  return checkDockerfile(
    { dockerfile, references, images: new Map(Object.entries(images)), automatic, given },
    true,
  );
}

/** The lines that are built, without those that only keep the others at their places. */
export const built = (
  text: string,
  images?: Record<string, BaseImage>,
  given?: ReadonlyMap<string, string>,
) =>
  check(text, images, given)
    .text(names)
    .split('\n')
    .filter((line) => line !== '' && line !== 'ARG LONGSHORE_BUILD_SCOPE');
