/** The reader of a log's stream, and the error of the log's object for too many readers. */
import { ApiError } from '../domain/errors.ts';

export interface LogReader {
  keyId: string;
  /** Streams of this log that the key may have open; `null`: as many as the log allows. */
  streamsMax: number | null;
}

const retryAfterSeconds = 10;

/** The reader as query parameters for the log's object. */
export const readerQuery = ({ keyId, streamsMax }: LogReader) => `key=${keyId}&max=${streamsMax ?? ''}`;

/** Converts the refusal of a log's object (objects/reader-places) to an error. @param refused the object's 429 */
export async function tooManyReaders(refused: Response, { streamsMax }: LogReader): Promise<ApiError> {
  const ofKey = (await refused.text()) === 'key';
  const sentence = ofKey
    ? `This key has ${streamsMax} streams of this log open, which is its limit: close some, or try again later.`
    : 'This log has too many readers at the moment: try again later.';
  return new ApiError('rate_limited', sentence, { retryAfterSeconds });
}
