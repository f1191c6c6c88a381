/** What a service does while its volumes are copied, as a request says it. */
import { z } from 'zod';
import type { Quiesce } from '../../../protocol/volumes/volume-job-spec.ts';
import { quiesceModes } from '../present/present-volume-backup.ts';

const commandSchema = z.string().min(1).max(4_000);

export const quiesceFields = {
  /** Absent in a new backup: `none`. */
  quiesce: z.enum(quiesceModes).optional(),
  before: commandSchema
    .describe(
      'For `command`: a line for the shell of the image, which runs before the copy, for five minutes at most.',
    )
    .optional(),
  after: commandSchema
    .describe('For `command`: a line that runs after the copy, even if `before` or the copy failed.')
    .optional(),
};

interface QuiesceBody {
  quiesce?: Quiesce['type'] | undefined;
  before?: string | undefined;
  after?: string | undefined;
}

/** Both lines belong to `command`, and `command` needs both. */
export function checkQuiesce(
  { quiesce, before, after }: QuiesceBody,
  context: Pick<z.core.$RefinementCtx, 'addIssue'>,
): void {
  for (const [field, line] of Object.entries({ before, after })) {
    if ((line !== undefined) === (quiesce === 'command')) continue;
    const message =
      quiesce === 'command'
        ? 'is needed for the quiesce mode "command": a line for the shell, such as "true"'
        : 'is only for the quiesce mode "command"';
    context.addIssue({ code: 'custom', path: [field], message });
  }
}

/** @returns undefined if the request does not say it */
export function quiesceIn({ quiesce: type, before = '', after = '' }: QuiesceBody): Quiesce | undefined {
  if (type === undefined) return undefined;
  return type === 'command' ? { type, before, after } : { type };
}
