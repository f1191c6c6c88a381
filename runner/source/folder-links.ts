/** Follows the links of an uploaded folder before any of them is created: files can be written through an existing link. */
import { dirname } from 'node:path/posix';

/** A symbolic link of the archive. Its path has no `.`, `..` or empty parts. */
export interface FolderLink {
  path: string;
  target: string;
}

/** The same number that Linux follows (path_resolution(7)). */
const hopsMax = 40;

/**
 * The first link that would be created behind another link, or that leaves the folder: directly, through other links, or once a missing
 * file exists.
 * @returns `undefined` if all links stay inside
 */
export function findEscapingLink(links: readonly FolderLink[]): FolderLink | undefined {
  const targets = new Map(links.map(({ path, target }) => [path, target]));
  const places = new Map<string, string | undefined>();
  const behindLink = new Set<string>();
  const besideLinks = new Set<string>(['.']);

  const isBehindLink = (path: string): boolean => {
    const above: string[] = [];
    let up = dirname(path);
    for (; !besideLinks.has(up) && !behindLink.has(up); up = dirname(up)) {
      above.push(up);
      if (targets.has(up)) break;
    }
    const isBehind = targets.has(up) || behindLink.has(up);
    for (const one of above) (isBehind ? behindLink : besideLinks).add(one);
    return isBehind;
  };

  /** @returns the target path of the link, '' for the folder itself; `undefined` if it is outside, or after too many hops */
  const placeOf = (path: string, hops: number): string | undefined => {
    if (places.has(path)) return places.get(path);
    if (hops > hopsMax) return undefined;
    places.set(path, undefined); // a circle has no target
    const place = followed(dirname(path), targets.get(path) ?? '', hops);
    places.set(path, place);
    return place;
  };

  const followed = (from: string, target: string, hops: number): string | undefined => {
    let at = from === '.' ? '' : from;
    for (const part of target.split('/')) {
      if (part === '' || part === '.') continue;
      if (part === '..') {
        if (at === '') return undefined;
        at = at.includes('/') ? dirname(at) : '';
        continue;
      }
      const next = at === '' ? part : `${at}/${part}`;
      const place = targets.has(next) ? placeOf(next, hops + 1) : next;
      if (place === undefined) return undefined;
      at = place;
    }
    return at;
  };

  return links.find(({ path }) => isBehindLink(path) || placeOf(path, 0) === undefined);
}
