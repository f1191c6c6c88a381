/** Sources of ADD that are not files of the repository. */

/** Whether a source is remote: `https://...`, `git@host:path` and similar. */
export const isRemote = (source: string) =>
  /^[a-z][a-z0-9+.-]*:\/\//i.test(source) || /^[^/\s]+@[^/\s]+:/.test(source);

/** A URL that this host fetches; undefined for git and everything else. */
export function downloadUrl(source: string): URL | undefined {
  if (!/^https?:\/\//i.test(source)) return undefined;
  const url = URL.parse(source);
  return url && !/\.git\/?$/i.test(url.pathname) && !/\.git(#|$)/i.test(source) ? url : undefined;
}

/** The file name that Docker gives to a downloaded URL if the destination is a directory. */
export function downloadName({ pathname }: URL): string {
  const last = pathname.replace(/\/+$/, '').split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last) || '__unnamed__';
  } catch {
    return last;
  }
}
