/**
 * Resolves the quotes and variables of one word as BuildKit's shell lexer does (docs.docker.com, "Environment replacement"). Modifiers that
 * some versions of BuildKit don't know are not resolved: it throws `Unsure`, and the caller refuses the word.
 */

/** The word has different meanings in different versions of Docker. */
class Unsure extends Error {}

/** The limit of a value that doubles with each line, which must not fill the memory. */
const charactersMax = 512 * 1024;

export interface Expansion {
  /** @returns undefined for a variable that is not set */
  lookUp: (name: string) => string | undefined;
  escapeToken: string;
  /** Keeps quotes unchanged, for the content of a here-document. */
  keepQuotes?: boolean;
}

/** @throws Unsure */
export function expand(word: string, expansion: Expansion): string {
  const reader = new Reader([...word], expansion);
  return reader.until(undefined);
}

class Reader {
  #at = 0;
  readonly #characters: readonly string[];
  readonly #expansion: Expansion;

  constructor(characters: readonly string[], expansion: Expansion) {
    this.#characters = characters;
    this.#expansion = expansion;
  }

  /** Reads to the end of the text, or past the next `stop`. */
  until(stop: string | undefined): string {
    let text = '';
    for (;;) {
      if (text.length > charactersMax) throw new Unsure('it is too long');
      const next = this.#take();
      if (next === undefined) {
        if (stop !== undefined) throw new Unsure(`"${stop}" is missing`);
        return text;
      }
      if (next === stop) return text;
      if (next === '$') text += this.#variable();
      else if (next === "'" && !this.#expansion.keepQuotes) text += this.#single();
      else if (next === '"' && !this.#expansion.keepQuotes) text += this.#double();
      else if (next === this.#expansion.escapeToken) text += this.#take() ?? '';
      else text += next;
    }
  }

  #single(): string {
    const end = this.#characters.indexOf("'", this.#at);
    if (end < 0) throw new Unsure("a single quote (') is missing");
    const text = this.#characters.slice(this.#at, end).join('');
    this.#at = end + 1;
    return text;
  }

  #double(): string {
    let text = '';
    for (;;) {
      if (text.length > charactersMax) throw new Unsure('it is too long');
      const next = this.#take();
      if (next === undefined) throw new Unsure('a double quote (") is missing');
      if (next === '"') return text;
      if (next === '$') text += this.#variable();
      else if (next === this.#expansion.escapeToken) {
        const after = this.#peek();
        if (after === '"' || after === '$' || after === this.#expansion.escapeToken) text += this.#take();
        else if (after !== undefined) text += next;
      } else text += next;
    }
  }

  #variable(): string {
    if (this.#peek() !== '{') {
      const name = this.#name();
      return name === '' ? '$' : this.#value(name);
    }
    this.#take();
    const name = this.#name();
    const sign = this.#take();
    if (name !== '' && sign === '}') return this.#value(name);
    if (name === '' || sign !== ':') throw new Unsure(`\${${name}${sign ?? ''}`);
    const modifier = this.#take();
    const word = this.until('}');
    const value = this.#value(name);
    if (modifier === '-') return value === '' ? word : value;
    if (modifier === '+') return value === '' ? '' : word;
    throw new Unsure(`\${${name}:${modifier ?? ''}`);
  }

  #name(): string {
    let name = '';
    while (/^\w$/.test(this.#peek() ?? '')) name += this.#take();
    const next = this.#peek() ?? '';
    // Letters beyond ASCII, positional and special parameters.
    if (/^\d/.test(name) || /^[\p{L}\p{N}]$/u.test(next) || (name === '' && /^[@*#?!$-]$/.test(next)))
      throw new Unsure(`$${name}${next}`);
    return name;
  }

  #value(name: string): string {
    return this.#expansion.lookUp(name) ?? '';
  }

  #peek(): string | undefined {
    return this.#characters[this.#at];
  }

  #take(): string | undefined {
    const next = this.#characters[this.#at];
    this.#at += 1;
    return next;
  }
}
