/** Signed requests to a bucket that speaks S3, each with an end, and what its refusals mean. */
import { AwsClient } from 'aws4fetch';
import type { BucketAccess } from '../../domain/backup-bucket.ts';
import { errorCodeIn } from './s3-xml.ts';

/** Until the answer's first byte, or its last where it is read here. */
const answerTimeoutMs = 10_000;
/** A listing of 1,000 has 400 KB. */
const answerBytesMax = 4 * 1024 * 1024;

export interface S3Request {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Of an object, as the bucket knows it; none: the bucket itself. */
  key?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  /** A stream is of known length: S3 takes no other. */
  body?: string | ReadableStream;
  timeoutMs?: number;
}

/** Of a request: a code of S3's, or one of the two below. https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html */
export class S3Failure extends Error {
  override readonly name = 'S3Failure';
  readonly code: string;

  /** @param why follows "the bucket"; the server's own words are not in it, since they may quote what was sent */
  constructor(code: string, why: string, options?: { cause: unknown }) {
    super(why, options);
    this.code = code;
  }
}

/** No answer came. */
export const unreachable = 'Unreachable';
/** An answer that S3 does not give: something else is there. */
export const notS3 = 'NotS3';

type Fetch = (request: Request, init: { signal: AbortSignal }) => Promise<Response>;

export class S3Requests {
  readonly #client: AwsClient;
  readonly #base: string;
  readonly #fetch: Fetch;

  constructor(access: BucketAccess, send: Fetch = (request, init) => fetch(request, init)) {
    const { endpoint, bucket, pathStyle, region, accessKeyId, secretAccessKey } = access;
    // Who asks tries again, and knows what may be tried.
    this.#client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 0 });
    this.#base = pathStyle ? `${endpoint}/${bucket}` : endpoint.replace('://', `://${bucket}.`);
    this.#fetch = send;
  }

  /** The answer's text, of bounded length. @throws S3Failure also for an error inside an answer of status 200 */
  async text(request: S3Request): Promise<string> {
    const xml = await this.#exchange(request, limitedText);
    const code = errorCodeIn(xml);
    if (code !== undefined) throw failureBy(code, 200);
    return xml;
  }

  /** The answer, with its body yet to come. @throws S3Failure */
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
      throw new S3Failure(unreachable, 'it can not be reached, or the connection broke off', { cause });
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
      // Followed, a redirect would lead where nobody has allowed it.
      redirect: 'manual',
    });
  }
}

const lateAfter = (ms: number) => new S3Failure(unreachable, `it did not answer within ${ms / 1000} s`);

/** What a code means, for a person. */
const meanings: Readonly<Record<string, string>> = {
  NoSuchBucket: 'there is no such bucket',
  InvalidBucketName: 'that is no name of a bucket',
  InvalidAccessKeyId: 'the server does not know this access key',
  SignatureDoesNotMatch: 'the secret key does not belong to this access key',
  AccessDenied: 'the access key may not do this',
  AuthorizationHeaderMalformed: 'the bucket is in another region',
  PermanentRedirect: 'the bucket is in another region, or at another endpoint',
  TemporaryRedirect: 'the bucket is in another region, or at another endpoint',
  RequestTimeTooSkewed: "the server's clock and the control plane's differ by more than 15 minutes",
  NoSuchUpload: 'there is no such upload',
  InvalidPart: 'a part did not come',
  InvalidPartOrder: 'the parts are not in order',
  EntityTooSmall: 'a part is too small',
};

function failureBy(code: string, status: number): S3Failure {
  const meaning = meanings[code] ?? `it answered with status ${status}`;
  return new S3Failure(code, `${meaning} (${code})`);
}

/** Of an answer to HEAD, which has no body. */
const codeOfStatus: Readonly<Record<number, string>> = { 403: 'AccessDenied', 404: 'NoSuchKey' };

async function refusalOf({ method }: S3Request, response: Response): Promise<S3Failure> {
  const { status } = response;
  const code = method === 'HEAD' ? codeOfStatus[status] : errorCodeIn(await limitedText(response));
  if (code !== undefined) return failureBy(code, status);
  return new S3Failure(notS3, `it answered with status ${status}, and not as S3 does`);
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
