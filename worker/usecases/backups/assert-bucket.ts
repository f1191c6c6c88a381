import { ApiError } from '../../domain/errors.ts';
import type { Dependencies } from '../dependencies.ts';

/**
 * Asserts that backups have a working bucket. A bucket that failed a moment ago is checked again.
 * @param refusal builds the error message from the bucket's problem
 * @throws ApiError `conflict` if the control plane's bucket does not work
 */
export async function assertBucket(
  { blobs }: Pick<Dependencies, 'blobs'>,
  refusal: (trouble: string) => string,
): Promise<void> {
  const trouble = (await blobs.trouble()) && (await blobs.trouble(true));
  if (trouble !== null) throw new ApiError('conflict', refusal(trouble));
}
