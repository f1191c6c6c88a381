/** What a request for a deployment may say about its source. */
import { z } from 'zod';
import { commitTextMax } from '../../../protocol/job-report.ts';
import { note } from '../../../protocol/note.ts';
import { isCommitId, isRefName } from '../../../protocol/sources/branch-name.ts';
import { ApiError } from '../errors.ts';
import type { ServiceKind } from '../services/service-kind.ts';

export const namedSourceFields = {
  ref: z
    .string()
    .refine(isRefName, 'must be a commit id, or the name of a tag or branch')
    .optional()
    .meta(
      note("Commit id, tag or branch of the repository to deploy; absent: the service's branch.", 'v1.4.0'),
    ),
  commitSha: z
    .string()
    .refine(isCommitId, 'must be a commit id of 40 or 64 lower-case hexadecimal digits')
    .optional()
    .meta(
      note(
        'The commit to deploy exactly; of an uploaded folder, the commit that it comes from.',
        '9b2c1f0e4d6a8b7c5d3e1f2a4b6c8d0e1f3a5b7c',
      ),
    ),
  commitMessage: z
    .string()
    .max(commitTextMax, `is too long: at most ${commitTextMax} characters`)
    .regex(/^\P{Cc}*$/u, 'must be one line')
    .optional()
    .meta(note('A line about the version of an uploaded folder or an image.', 'Fix the cart')),
};

export interface NamedFields {
  ref?: string | undefined;
  commitSha?: string | undefined;
  commitMessage?: string | undefined;
}

/**
 * The columns of a new deployment.
 * @throws ApiError `unsupported` for a field that the service's kind does not take; `invalid_request` for two names of one commit
 */
export function namedSourceOf(
  kind: ServiceKind,
  { ref, commitSha, commitMessage }: NamedFields,
): NamedFields {
  if (kind !== 'git') {
    if (ref !== undefined) throw unsupported('ref', 'is only for services with a repository.');
    if (commitSha !== undefined && kind !== 'upload')
      throw unsupported('commitSha', 'is only for services with a repository or an uploaded folder.');
    if (commitMessage !== undefined && kind === 'database')
      throw unsupported('commitMessage', 'is not for databases.');
    return { commitSha, commitMessage };
  }
  if (commitMessage !== undefined)
    throw unsupported('commitMessage', 'is not for services with a repository: the commit has its own.');
  if (ref !== undefined && commitSha !== undefined)
    throw new ApiError('invalid_request', 'Give only one of the fields "ref" and "commitSha".');
  return { ref: ref ?? commitSha };
}

const unsupported = (field: string, why: string) =>
  new ApiError('unsupported', `The field "${field}" ${why} Leave it out.`);
