/** Signed requests to an S3-compatible bucket, with timeouts, and the meaning of its errors. */
import { AwsClient } from 'aws4fetch';
import type { BucketAccess } from '../../domain/backups/backup-bucket.ts';
import { errorCodeIn } from './s3-xml.ts';

/** Limit until the response headers, or until the end of a body that is read here. */
const answerTimeoutMs = 10_000;
/** A listing of 1,000 objects has 400 KB. */
const answerBytesMax = 4 * 1024 * 1024;

export interface S3Request {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Object key in the bucket; if absent, the bucket itself. */
  key?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  /** A stream must have a known length, which S3 requires. */
  body?: string | ReadableStream;
  timeoutMs?: number;
}

/** A failed request, with a code from S3 or one of the two below. https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html */
export class S3Failure extends Error {
  override readonly name = 'S3Failure';
  readonly code: string;

  /** @param why continues "the bucket ..."; never quotes the server, whose message may repeat the request */
  constructor(code: string, why: string, options?: { cause: unknown }) {
    super(why, options);
    this.code = code;
  }
}

/** There was no response. */
export const unreachable = 'Unreachable';
/** The response is not from an S3 API but from another server. */
export const notS3 = 'NotS3';

type Fetch = (request: Request, init: { signal: AbortSignal }) => Promise<Response>;

export class S3Requests {
  readonly #client: AwsClient;
  readonly #base: string;
  readonly #fetch: Fetch;

  constructor(access: BucketAccess, send: Fetch = (request, init) => fetch(request, init)) {
    const { endpoint, bucket, pathStyle, region, accessKeyId, secretAccessKey } = access;
    // Callers retry, because they know what is safe to retry.
    this.#client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 0 });
    this.#base = pathStyle ? `${endpoint}/${bucket}` : endpoint.replace('://', `://${bucket}.`);
    this.#fetch = send;
  }

  /** The response text, of limited length. @throws S3Failure also for an error in a response with status 200 */
  async text(request: S3Request): Promise<string> {
    const xml = await this.#exchange(request, limitedText);
    const code = errorCodeIn(xml);
    if (code !== undefined) throw failureBy(code, 200);
    return xml;
  }

  /** The response with an unread body. @throws S3Failure */
  open(request: S3Request): Promise<Response> {
    return this.#exchange(request, async (response) => response);
  }

  async #exchange<T>(request: S3Request, use: (response: Response) => Promise<T>): Promise<T> {
    const { timeoutMs = answerTimeoutMs } = request;
    const ending = new AbortController();
    const timer = setTimeout(() => ending.abort(lateAfter(timeoutMs)), timeoutMs);
    try {
      const response = await this.#fetch(await this.#signed(request), { signal: ending.signal });
      if (!response.ok) throw await refusalOf(request, response);
      return await use(response);
    } catch (cause) {
      if (cause instanceof S3Failure) throw cause;
      if (ending.signal.aborted) throw ending.signal.reason;
      throw new S3Failure(unreachable, "it can't be reached, or the connection was lost", { cause });
    } finally {
      clearTimeout(timer);
    }
  }

  #signed({ method, key, query = {}, headers = {}, body }: S3Request): Promise<Request> {
    const path = key === undefined ? this.#base : `${this.#base}/${key}`;
    const search = new URLSearchParams(query).toString();
    return this.#client.sign(search === '' ? path : `${path}?${search}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      // A redirect could lead to an address that is not allowed.
      redirect: 'manual',
    });
  }
}

const lateAfter = (ms: number) => new S3Failure(unreachable, `it did not answer within ${ms / 1000} s`);

/** Meaning of an error code, for people. */
const meanings: Readonly<Record<string, string>> = {
  NoSuchBucket: 'the bucket does not exist',
  InvalidBucketName: 'the bucket name is not valid',
  InvalidAccessKeyId: 'the access key does not exist',
  SignatureDoesNotMatch: 'the secret key does not belong to this access key',
  AccessDenied: 'the access key is not allowed to do this',
  AuthorizationHeaderMalformed: 'the bucket is in another region',
  PermanentRedirect: 'the bucket is in another region, or at another endpoint',
  TemporaryRedirect: 'the bucket is in another region, or at another endpoint',
  RequestTimeTooSkewed: "the server's clock and the control plane's differ by more than 15 minutes",
  NoSuchUpload: 'the upload does not exist',
  InvalidPart: 'a part is missing',
  InvalidPartOrder: 'the parts are not in order',
  EntityTooSmall: 'a part is too small',
};

function failureBy(code: string, status: number): S3Failure {
  const meaning = meanings[code] ?? `it answered with status ${status}`;
  return new S3Failure(code, `${meaning} (${code})`);
}

/** Error codes by status, for responses to HEAD, which have no body. */
const codeOfStatus: Readonly<Record<number, string>> = { 403: 'AccessDenied', 404: 'NoSuchKey' };

async function refusalOf({ method }: S3Request, response: Response): Promise<S3Failure> {
  const { status } = response;
  const code = method === 'HEAD' ? codeOfStatus[status] : errorCodeIn(await limitedText(response));
  if (code !== undefined) return failureBy(code, status);
  return new S3Failure(notS3, `it answered with status ${status}, but not like S3`);
}

async function limitedText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let [text, size] = ['', 0];
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > answerBytesMax)
      throw new S3Failure(notS3, `its answer is longer than ${answerBytesMax} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
