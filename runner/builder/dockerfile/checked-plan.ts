/** Checks a Dockerfile that the analyzer wrote like any other, because its paths and commands come from the repository. */
import { checkDockerfile } from './check.ts';
import { parseDockerfile } from './parse.ts';
import { platformArguments } from './platform-arguments.ts';
import { imagesIn, referencesOf } from './references.ts';
import type { BaseImage } from './scope.ts';

export interface ReadPlan {
  /** The names of its base images. */
  images: ReadonlySet<string>;
  /**
   * The Dockerfile that is built. @param pinned the base images on this host, and the names that the build uses for them
   * @throws JobFailure with the line
   */
  text(pinned: { images: ReadonlyMap<string, BaseImage>; nameOf: (name: string) => string }): string;
}

/** @throws JobFailure with the line */
export function readPlan(text: string): ReadPlan {
  const dockerfile = parseDockerfile(Buffer.from(text));
  const automatic = platformArguments();
  const references = referencesOf(dockerfile, automatic);
  return {
    images: imagesIn(references.of),
    text({ images, nameOf }) {
      const checked = checkDockerfile({ dockerfile, references, images: new Map(images), automatic }, true);
      return checked.text({ image: nameOf, added: 'scratch' });
    },
  };
}
