/** Texts of hostile people, in the lengths and numbers that the rooms of the dashboard show. */
import { commitShare } from '../commit-share.ts';
import { scriptCorpus } from '../script-texts.ts';

/** The whole corpus in as few texts as possible, each at most so long. */
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
/** What runs as soon as a page makes an address of it: every list of names has them, each alone. */
export const schemes = scriptCorpus.filter((text) => /^(javascript|data|vbscript):/i.test(text));
/** Names in the rooms that list them. Each commit has others of the corpus; what holds more than a name has all of it on each. */
export const [projectNames, serviceNames, memberNames, keyNames] = [0, 1, 2, 3].map((place) => [
  ...schemes,
  ...commitShare(hundred, 4, place),
]) as [string[], string[], string[], string[]];
/** Of schedules, channels and rules. */
export const short = scriptCorpus.filter((text) => text.length <= 60);
/** What hosts say of alerts. */
export const details = commitShare(joined(300), 3, 1);
export const messages = commitShare(joined(300), 6);
/** Headers hold nothing else. */
export const printable = scriptCorpus.filter((text) => /^[\x20-\x7e]*$/.test(text));
export const headersMax = 10;
export const actorsMax = 6;
