import { sha256Hex } from '../../security/api-token.ts';

/** A text that is the same for every reader until the Worker is replaced: created once, and not sent again to a client that has it. */
export class KeptText {
  readonly #type: string;
  readonly #make: () => string | Promise<string>;
  #kept: Promise<{ text: string; etag: string }> | undefined;

  /** @param type its media type */
  constructor(type: string, make: () => string | Promise<string>) {
    this.#type = type;
    this.#make = make;
  }

  /** @param fill inserts what differs between addresses, but not between requests to one address */
  async answer(
    request: Request,
    headers: Record<string, string>,
    fill = (text: string) => text,
  ): Promise<Response> {
    this.#kept ??= this.#made();
    const { text, etag } = await this.#kept;
    const all = { ...headers, ETag: etag };
    if (hasIt(request.headers.get('if-none-match'), etag))
      return new Response(null, { status: 304, headers: all });
    return new Response(fill(text), { headers: { ...all, 'Content-Type': this.#type } });
  }

  async #made() {
    const text = await this.#make();
    return { text, etag: `"${(await sha256Hex(text)).slice(0, 32)}"` };
  }
}

/** RFC 9110, section 13.1.2. A proxy that compresses makes a tag weak. */
const hasIt = (named: string | null, etag: string): boolean =>
  named?.split(',').some((one) => ['*', etag].includes(one.trim().replace(/^W\//, ''))) ?? false;
