/** Texts of hostile users, in the lengths and numbers that the pages of the dashboard show. */
import { fixedPart } from '../level.ts';
import { scriptCorpus } from '../script-texts.ts';

/** The whole corpus in as few texts as possible, each with at most `most` characters. */
export function joined(most: number, texts: readonly string[] = scriptCorpus): string[] {
  const all: string[] = [];
  for (const text of texts) {
    const last = all.at(-1);
    if (last !== undefined && last.length + text.length < most) all[all.length - 1] = `${last} ${text}`;
    else all.push(text);
  }
  return all;
}

export const hundred = joined(100);
/** Texts that run when a page uses them as an address. Every list of names contains each of them alone. */
export const schemes = scriptCorpus.filter((text) => /^(javascript|data|vbscript):/i.test(text));
/** Names for the pages that list them. With `npm test` each list has its own quarter of the corpus; longer texts have all of it. */
export const [projectNames, serviceNames, memberNames, keyNames] = [0, 1, 2, 3].map((place) => [
  ...schemes,
  ...fixedPart(hundred, 4, place),
]) as [string[], string[], string[], string[]];
/** For schedules, channels and rules. */
export const short = scriptCorpus.filter((text) => text.length <= 60);
/** Details of alerts, reported by hosts. */
export const details = fixedPart(joined(300), 3, 1);
export const messages = fixedPart(joined(300), 6);
/** The only texts that headers can contain. */
export const printable = scriptCorpus.filter((text) => /^[\x20-\x7e]*$/.test(text));
export const headersMax = 10;
export const actorsMax = 6;
