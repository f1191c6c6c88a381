/** Finds redirects that form a loop. Pure. */
import { redirectOf } from '../../../../protocol/traffic/redirects.ts';
import type { RedirectRule } from '../../../../protocol/traffic/traffic-rules.ts';
import { covers } from '../own-certificate.ts';

/** Browsers stop after 20 redirects; no use case needs a chain longer than this. */
const hopsMax = 5;

/**
 * Follows the redirects from each name and path of a rule, while they stay on the service's names.
 * @returns the URLs of the first loop or too long chain; undefined if there is none
 */
export function findLoop(redirects: readonly RedirectRule[], names: readonly string[]): string[] | undefined {
  for (const { domains, path, match } of redirects) {
    const paths = match === 'prefix' ? [path, `${path.replace(/\/+$/, '')}/page`] : [path];
    for (const name of domains.length > 0 ? domains : names) {
      for (const start of paths) {
        const chain = follow(redirects, names, `https://${name}${start === '' ? '/' : start}`);
        if (chain.length > hopsMax) return chain;
      }
    }
  }
  return undefined;
}

function follow(redirects: readonly RedirectRule[], names: readonly string[], start: string): string[] {
  const chain = [start];
  for (let url = URL.parse(start); url !== null; ) {
    const { host, hostname: name, pathname: path } = url;
    const servedAs = names.find((own) => own === name) ?? names.find((own) => covers(own, name));
    if (servedAs === undefined) break;
    const request = { scheme: 'https', host, name, servedAs, path };
    const next = redirectOf(redirects, { ...request, uri: `${url.pathname}${url.search}` });
    if (!next) break;
    chain.push(next.location);
    if (chain.length > hopsMax) break;
    url = URL.parse(next.location);
  }
  return chain;
}
