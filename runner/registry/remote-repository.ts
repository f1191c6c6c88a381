/** One repository of a registry, read anonymously or with a login (https://github.com/opencontainers/distribution-spec/blob/main/spec.md). */
import { type Clock, pause } from '../base/clock.ts';
import { type Answer, guardedGet, type RegistryGuard, readSmall } from './guarded-get.ts';
import { checkManifest, type Manifest, manifestBytesMax, manifestTypes } from './manifest.ts';
import { RegistryError } from './registry-error.ts';
import { authorizationFor, jsonOf, type Login } from './registry-token.ts';

export interface RepositoryAddress {
  /** Origin of the registry. */
  base: URL;
  /** Path of the repository there. */
  path: string;
  /** Sent to no mirror. */
  login?: Login | undefined;
}

/** A manifest or a token takes a second; a registry that sends it byte by byte ends here. */
const smallAnswerMs = 60_000;
/** Registries answer 429 and 5xx for moments. Docker would ask five times. */
const triesMax = 3;
const retryMs = 1_000;
const retryAfterMsMax = 20_000;
const errorBytesMax = 64 * 2 ** 10;
const wordsMax = 300;

export class RemoteRepository {
  readonly #address: RepositoryAddress;
  readonly #guard: RegistryGuard;
  readonly #clock: Clock;
  #authorization: string | undefined;

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
   * @param range the `Range` header with which Docker resumes
   * @returns an answer with status 200 or 206, whose body is still unread
   * @throws as `manifest`
   */
  async blob(digest: string, range: string | undefined): Promise<Answer> {
    return await this.#get(this.#guard, `blobs/${digest}`, range === undefined ? {} : { range });
  }

  async #get(guard: RegistryGuard, path: string, headers: Record<string, string>): Promise<Answer> {
    const url = new URL(`/v2/${this.#address.path}/${path}`, this.#address.base);
    for (let tries = 1; ; tries += 1) {
      const answer = await this.#authorized(guard, url, headers);
      if (answer.status === 200 || answer.status === 206) return answer;
      const words = await errorWords(answer);
      const passes = answer.status === 429 || answer.status >= 500;
      if (!passes || tries === triesMax)
        throw refusal(url, answer.status, words, this.#address.login !== undefined);
      await pause(this.#clock, retryDelay(answer, tries), guard.signal);
      guard.signal.throwIfAborted();
    }
  }

  /** A token may be missing or too old; a second 401 stays. */
  async #authorized(guard: RegistryGuard, url: URL, headers: Record<string, string>): Promise<Answer> {
    const answer = await guardedGet(guard, url, headers, this.#authorization);
    const challenge = answer.headers['www-authenticate'];
    if (answer.status !== 401 || challenge === undefined) return answer;
    answer.body.destroy();
    const { base, path, login } = this.#address;
    this.#authorization = await authorizationFor(guard, base, challenge, { repository: path, login });
    return await guardedGet(guard, url, headers, this.#authorization);
  }

  #clockedSignal(delayMs: number): { signal: AbortSignal; end: () => void } {
    const late = new AbortController();
    const end = this.#clock.after(delayMs, () => late.abort());
    return { signal: AbortSignal.any([this.#guard.signal, late.signal]), end };
  }
}

function retryDelay({ headers }: Answer, tries: number): number {
  const seconds = Number(headers['retry-after']);
  return seconds > 0 ? Math.min(seconds * 1000, retryAfterMsMax) : retryMs * 2 ** (tries - 1);
}

function refusal(url: URL, status: number, words: string, hasLogin: boolean): RegistryError {
  const said = `${url.host} answered ${status}${words ? `: ${words}` : ''}`;
  if (status === 429) return new RegistryError('limited', `toomanyrequests: ${said}`);
  if (hasLogin && (status === 401 || status === 403)) return new RegistryError('unauthorized', said);
  if ([401, 403, 404].includes(status)) return new RegistryError('missing', said);
  return new RegistryError(status >= 500 ? 'unreachable' : 'broken', said);
}

/** The registry's own sentence, of one line. */
async function errorWords(answer: Answer): Promise<string> {
  const body = await readSmall(answer, errorBytesMax, 'the error').catch(() => Buffer.alloc(0));
  const { errors } = (jsonOf(body) ?? {}) as { errors?: { message?: unknown }[] };
  const message = Array.isArray(errors) ? errors[0]?.message : undefined;
  if (typeof message !== 'string') return '';
  return message.replace(/\p{C}+/gu, ' ').slice(0, wordsMax);
}
