/** A repository of a registry, read anonymously or with a login (https://github.com/opencontainers/distribution-spec/blob/main/spec.md). */
import { createHash } from 'node:crypto';
import { imageDigestSchema } from '../../protocol/image-digest.ts';
import { type Clock, pause } from '../base/clock.ts';
import { type Answer, guardedGet, type Method, type RegistryGuard, readSmall } from './guarded-get.ts';
import { checkManifest, type Manifest, manifestBytesMax, manifestTypes } from './manifest.ts';
import { type Momentary, momentaryOf, RegistryError, saidToWait } from './registry-error.ts';
import { authorizationFor, jsonOf, type Login } from './registry-token.ts';

export interface RepositoryAddress {
  /** Origin of the registry. */
  base: URL;
  /** Path of the repository at the registry. */
  path: string;
  /** Not sent to mirrors. */
  login?: Login | undefined;
}

/** A manifest or a token takes a second; a registry that sends it byte by byte is stopped here. */
const smallAnswerMs = 60_000;
/** Docker would try five times. */
const triesMax = 3;
const retryMs = 1_000;
/** The longest wait before a retry. If a registry requests more, the deployment fails at once, and reports when it can succeed. */
const waitMsMax = 20_000;
const errorBytesMax = 64 * 2 ** 10;
const wordsMax = 300;

export class RemoteRepository {
  readonly #address: RepositoryAddress;
  readonly #guard: RegistryGuard;
  readonly #clock: Clock;
  #authorization: string | undefined;
  #hasAnswered = false;

  constructor(address: RepositoryAddress, guard: RegistryGuard, clock: Clock) {
    this.#address = address;
    this.#guard = guard;
    this.#clock = clock;
  }

  /**
   * @param reference a tag or a digest
   * @throws RegistryError; JobFailure `source_refused`; the signal's reason
   */
  async manifest(reference: string): Promise<Manifest> {
    const late = this.#clockedSignal(smallAnswerMs);
    try {
      const guard = { ...this.#guard, signal: late.signal };
      const answer = await this.#get(guard, `manifests/${reference}`, { accept: manifestTypes.join(', ') });
      const bytes = await readSmall(answer, manifestBytesMax, 'the manifest');
      const manifest = checkManifest(bytes, answer.headers['content-type']);
      if (reference.startsWith('sha256:') && manifest.digest !== reference)
        throw new RegistryError('broken', 'the registry sent another manifest than the one of this digest');
      return manifest;
    } catch (error) {
      this.#guard.signal.throwIfAborted();
      if (!late.signal.aborted) throw error;
      throw new RegistryError('unreachable', `${this.#address.base.host} sent no manifest in time`);
    } finally {
      late.end();
    }
  }

  /**
   * The digest that a tag has now, from the headers of its manifest: no pull is counted.
   * @throws the errors of `manifest`
   */
  async digest(tag: string): Promise<string> {
    const headers = { accept: manifestTypes.join(', ') };
    const answer = await this.#get(this.#guard, `manifests/${tag}`, headers, 'HEAD').catch((error) => {
      // Some registries know no HEAD.
      if (error instanceof RegistryError && error.trouble === 'broken') return undefined;
      throw error;
    });
    answer?.body.destroy();
    const { success, data } = imageDigestSchema.safeParse(answer?.headers['docker-content-digest']);
    return success ? data : (await this.manifest(tag)).digest;
  }

  /**
   * @param range the `Range` header with which Docker resumes
   * @returns an answer with status 200 or 206, whose body is still unread
   * @throws the errors of `manifest`
   */
  async blob(digest: string, range: string | undefined): Promise<Answer> {
    return await this.#get(this.#guard, `blobs/${digest}`, range === undefined ? {} : { range });
  }

  /**
   * The bytes of a small object, checked against their digest.
   * @throws RegistryError, also for one that is larger or other bytes; the errors of `manifest`
   */
  async smallBlob(digest: string, bytesMax: number): Promise<Buffer> {
    const late = this.#clockedSignal(smallAnswerMs);
    try {
      const answer = await this.#get({ ...this.#guard, signal: late.signal }, `blobs/${digest}`, {});
      const bytes = await readSmall(answer, bytesMax, 'the configuration');
      if (`sha256:${createHash('sha256').update(bytes).digest('hex')}` !== digest)
        throw new RegistryError('broken', 'the registry sent other bytes than those of the digest');
      return bytes;
    } catch (error) {
      this.#guard.signal.throwIfAborted();
      if (!late.signal.aborted) throw error;
      throw new RegistryError('unreachable', `${this.#address.base.host} sent no configuration in time`);
    } finally {
      late.end();
    }
  }

  async #get(
    guard: RegistryGuard,
    path: string,
    headers: Record<string, string>,
    method: Method = 'GET',
  ): Promise<Answer> {
    const url = new URL(`/v2/${this.#address.path}/${path}`, this.#address.base);
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#tryOnce(guard, method, url, headers);
      } catch (error) {
        guard.signal.throwIfAborted();
        const momentary = error instanceof RegistryError ? this.#momentaryOf(error) : undefined;
        if (!momentary || tries === triesMax || (momentary.waitMs ?? 0) > waitMsMax) throw error;
        await pause(this.#clock, momentary.waitMs ?? retryMs * 2 ** (tries - 1), guard.signal);
        guard.signal.throwIfAborted();
      }
    }
  }

  /** A registry that has answered before is silent for a moment; one that never answered under this name does not exist. */
  #momentaryOf({ momentary, trouble }: RegistryError): Momentary | undefined {
    return momentary ?? (trouble === 'unreachable' && this.#hasAnswered ? {} : undefined);
  }

  /** @throws RegistryError, also for an invalid answer */
  async #tryOnce(
    guard: RegistryGuard,
    method: Method,
    url: URL,
    headers: Record<string, string>,
  ): Promise<Answer> {
    const answer = await this.#authorized(guard, method, url, headers);
    this.#hasAnswered = true;
    if (answer.status === 200 || answer.status === 206) return answer;
    const words = await errorWords(answer);
    const momentary = momentaryOf(answer, this.#clock.now());
    throw refusal(url, answer.status, { words, momentary, hasLogin: this.#address.login !== undefined });
  }

  /** A token may be missing or too old; a second 401 is final. */
  async #authorized(
    guard: RegistryGuard,
    method: Method,
    url: URL,
    headers: Record<string, string>,
  ): Promise<Answer> {
    const answer = await guardedGet(guard, url, headers, this.#authorization, method);
    const challenge = answer.headers['www-authenticate'];
    if (answer.status !== 401 || challenge === undefined) return answer;
    answer.body.destroy();
    const { base, path, login } = this.#address;
    this.#authorization = await authorizationFor(guard, base, challenge, {
      ...{ repository: path, login, now: this.#clock.now() },
    });
    return await guardedGet(guard, url, headers, this.#authorization, method);
  }

  #clockedSignal(delayMs: number): { signal: AbortSignal; end: () => void } {
    const late = new AbortController();
    const end = this.#clock.after(delayMs, () => late.abort());
    return { signal: AbortSignal.any([this.#guard.signal, late.signal]), end };
  }
}

function refusal(
  url: URL,
  status: number,
  { words, momentary, hasLogin }: { words: string; momentary: Momentary | undefined; hasLogin: boolean },
): RegistryError {
  const said = saidToWait(`${url.host} answered ${status}${words ? `: ${words}` : ''}`, momentary);
  const passing = momentary ? { momentary } : {};
  if (status === 429) return new RegistryError('limited', `toomanyrequests: ${said}`, passing);
  if (hasLogin && (status === 401 || status === 403)) return new RegistryError('unauthorized', said);
  if ([401, 403, 404].includes(status)) return new RegistryError('missing', said);
  return new RegistryError(status >= 500 ? 'unreachable' : 'broken', said, passing);
}

/** The registry's own sentence, of one line. */
async function errorWords(answer: Answer): Promise<string> {
  const body = await readSmall(answer, errorBytesMax, 'the error').catch(() => Buffer.alloc(0));
  const { errors } = (jsonOf(body) ?? {}) as { errors?: { message?: unknown }[] };
  const message = Array.isArray(errors) ? errors[0]?.message : undefined;
  if (typeof message !== 'string') return '';
  return message.replace(/\p{C}+/gu, ' ').slice(0, wordsMax);
}
