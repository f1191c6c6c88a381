/** A Dockerfile that the analyzer wrote: judged like everybody's, because paths and commands in it come from the repository. */
import { judgeDockerfile } from './judge.ts';
import { parseDockerfile } from './parse.ts';
import { platformArguments } from './platform-arguments.ts';
import { referencesOf } from './references.ts';

/** Its base images are the operator's choice, so they are not looked at. @throws JobFailure with the line */
export function judgedPlan(text: string): string {
  const dockerfile = parseDockerfile(Buffer.from(text));
  const automatic = platformArguments();
  const references = referencesOf(dockerfile, automatic);
  const judged = judgeDockerfile({ dockerfile, references, images: new Map(), automatic }, true);
  return judged.text({ image: (name) => name, added: 'scratch' });
}
