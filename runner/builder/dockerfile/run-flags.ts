/** Refuses flags of RUN that could give a step access to the host. */
import type { Instruction } from './parse.ts';
import { refused } from './refusal.ts';

/** @throws JobFailure `source_refused` */
export function refuseRunFlags({ flags, line }: Instruction): void {
  for (const { name, value } of flags) {
    const isHarmless = name === 'mount' || (name === 'network' && (value === 'none' || value === 'default'));
    const isPlain = isHarmless || (name === 'security' && value === 'sandbox');
    if (!isPlain)
      throw refused(
        line,
        `RUN --${name}${value === undefined ? '' : `=${value}`} could give the build step access to the host; remove it.`,
      );
  }
}
