/** Reads the address of a source in any form in which people have it: copied from a browser, a terminal, or a page of an image. */
import { imageReferenceSchema } from './image-reference.ts';

export type SourceAddress =
  | { kind: 'repository'; repoUrl: string; treePath?: string }
  | { kind: 'image'; imageRef: string };

/** Servers whose repositories are `owner/repo`; on others the path may be longer. */
const twoPartHosts: ReadonlySet<string> = new Set([
  'github.com',
  'bitbucket.org',
  'codeberg.org',
  'gitea.com',
]);
const gitHosts: ReadonlySet<string> = new Set([...twoPartHosts, 'gitlab.com']);

/** Where the pages of git hosts name a branch and a folder: GitHub, GitLab, Forgejo and Gitea, Bitbucket. */
const treePage = /^(?<repository>\/.+?)(?:\/-)?\/(?:tree|blob|src\/branch|src)\/(?<tree>.+?)\/*$/;
/** A page of GitLab without a branch: `/-/issues`. */
const otherPage = /\/-(?:\/.*)?$/;

/**
 * @param text an https or ssh URL, `github.com/owner/repo/tree/branch/folder`, `owner/repo`, an image's reference, or a command that names one
 * @returns undefined for text that is none of these
 */
export function readSourceAddress(text: string): SourceAddress | undefined {
  const address = text
    .trim()
    .replace(/^(?:git clone|docker pull|docker run|podman pull)\s+/, '')
    .replace(/^["'<]+|["'>]+$/g, '');
  if (address === '' || /\s/.test(address)) return undefined;
  const hub = /^(?:https?:\/\/)?hub\.docker\.com\/(?:r\/(?<name>[^/?#]+\/[^/?#]+)|_\/(?<own>[^/?#]+))/.exec(
    address,
  );
  if (hub) return image(hub.groups?.name ?? hub.groups?.own ?? '');
  if (/^(?:ssh:\/\/|[^/@:\s]+@[^/@:\s]+:)/.test(address)) return { kind: 'repository', repoUrl: address };
  if (/^https?:\/\//i.test(address)) return ofPage(address);
  const [host = ''] = address.split('/', 1);
  const looksLikePage = gitHosts.has(host.replace(/^www\./, '')) || /\.git$|\/(?:-\/)?tree\//.test(address);
  if (host.includes('.') && address.includes('/') && looksLikePage) return ofPage(`https://${address}`);
  // As in the field `repoFullName`; an image with such a name needs a tag.
  if (/^[A-Za-z0-9][A-Za-z0-9-]{0,38}\/[A-Za-z0-9._-]+$/.test(address) && !/[.:]/.test(host))
    return ofPage(`https://github.com/${address}`);
  return image(address);
}

const image = (imageRef: string): SourceAddress | undefined =>
  imageReferenceSchema.safeParse(imageRef).success ? { kind: 'image', imageRef } : undefined;

function ofPage(address: string): SourceAddress | undefined {
  const url = URL.parse(address);
  if (!url) return undefined;
  url.hash = '';
  url.search = '';
  const host = url.hostname.replace(/^www\./, '');
  if (gitHosts.has(host)) url.hostname = host;
  const page = treePage.exec(url.pathname)?.groups;
  const isBlob = /\/blob\//.test(url.pathname);
  let path = (page?.repository ?? url.pathname).replace(otherPage, '').replace(/\/+$/, '');
  if (twoPartHosts.has(host)) path = path.split('/').slice(0, 3).join('/');
  if (path.length < 2) return undefined;
  url.pathname = path;
  const tree = page?.tree && decoded(page.tree);
  // The page of a file: its folder is meant.
  const treePath = tree && isBlob ? tree.split('/').slice(0, -1).join('/') : tree;
  return { kind: 'repository', repoUrl: url.href, ...(treePath ? { treePath } : {}) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** `app` for `https://git.example/shop/app.git`, `ghcr.io/shop/app:1.2` and a folder `services/app`. */
export const nameOfSource = (address: string): string =>
  address
    .replace(/^[^/@:]+@[^/@:]+:/, '')
    .replace(/\/+$/, '')
    .split('/')
    .at(-1)
    ?.replace(/(?:\.git|[:@].*)$/i, '')
    .slice(0, 100) || 'app';
