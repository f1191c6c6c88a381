/** Sources of ADD that are not files of the repository. */

/** `https://...`, `git@host:path` and their like. */
export const isRemote = (source: string) =>
  /^[a-z][a-z0-9+.-]*:\/\//i.test(source) || /^[^/\s]+@[^/\s]+:/.test(source);

/** A URL that this host fetches; undefined for git and everything else. */
export function downloadUrl(source: string): URL | undefined {
  if (!/^https?:\/\//i.test(source)) return undefined;
  const url = URL.parse(source);
  return url && !/\.git\/?$/i.test(url.pathname) && !/\.git(#|$)/i.test(source) ? url : undefined;
}

/** What Docker calls the file of a URL where the destination is a directory. */
export function downloadName({ pathname }: URL): string {
  const last = pathname.replace(/\/+$/, '').split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last) || '__unnamed__';
  } catch {
    return last;
  }
}
