import { ApiError } from '../../domain/errors.ts';
import type { Dependencies } from '../dependencies.ts';

/**
 * A bucket that was not there a moment ago is looked at again.
 * @param refusal the sentence, of the trouble with it
 * @throws ApiError `conflict` when the bucket of the control plane takes nothing
 */
export async function assertBucket(
  { blobs }: Pick<Dependencies, 'blobs'>,
  refusal: (trouble: string) => string,
): Promise<void> {
  const trouble = (await blobs.trouble()) && (await blobs.trouble(true));
  if (trouble !== null) throw new ApiError('conflict', refusal(trouble));
}
