/** The files of a folder that was dropped into the page or chosen in a dialog. Nothing is sent here. */
import { ToldError } from '../../../../api/client.ts';
import { folderRules, isRuleFile } from './folder-rules.ts';
import { folderText } from './folder-text.ts';

export interface DroppedFolder {
  name: string;
  files: { path: string; file: File }[];
  /** Bytes of all files. */
  size: number;
}

/** The checksum of the packed folder needs it in memory; more is for `longshore up`. */
const bytesMax = 100_000_000;
const filesMax = 20_000;

/** @throws ToldError for something else than one folder, one without files, or one that is too large */
export async function droppedFolder(transfer: DataTransfer): Promise<DroppedFolder> {
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  const [folder, ...more] = entries;
  if (!folder?.isDirectory || more.length > 0) throw new ToldError(folderText.onlyOne);
  const found: { path: string; file: File }[] = [];
  await visit(folder as FileSystemDirectoryEntry, '', found, folderRules(new Map(), false));
  return await kept(folder.name, found);
}

/** Those of an input with `webkitdirectory`. @throws ToldError */
export async function chosenFolder(list: FileList): Promise<DroppedFolder> {
  const files = [...list].map((file) => ({
    path: file.webkitRelativePath.split('/').slice(1).join('/'),
    file,
  }));
  return await kept(list[0]?.webkitRelativePath.split('/')[0] ?? '', files);
}

/** Leaves out what is never sent before it is listed: node_modules may have a hundred thousand files. */
async function visit(
  directory: FileSystemDirectoryEntry,
  at: string,
  found: { path: string; file: File }[],
  isOut: (path: string) => boolean,
): Promise<void> {
  const reader = directory.createReader();
  for (;;) {
    // A reader gives at most a hundred entries at a time.
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (entries.length === 0) return;
    for (const entry of entries) {
      const path = `${at}${entry.name}`;
      if (isOut(entry.isDirectory ? `${path}/` : path)) continue;
      if (entry.isDirectory) await visit(entry as FileSystemDirectoryEntry, `${path}/`, found, isOut);
      else {
        const file = await new Promise<File>((resolve, reject) =>
          (entry as FileSystemFileEntry).file(resolve, reject),
        );
        found.push({ path, file });
      }
      if (found.length > filesMax * 2) throw new ToldError(folderText.tooLarge);
    }
  }
}

async function kept(name: string, found: DroppedFolder['files']): Promise<DroppedFolder> {
  const rules = found.filter(({ path, file }) => isRuleFile(file.name) && path.split('/').length < 6);
  const texts = await Promise.all(rules.map(async ({ path, file }) => [path, await file.text()] as const));
  const hasDockerfile = found.some(({ path }) => /^(?:[Dd]ockerfile|Containerfile)$/.test(path));
  const isOut = folderRules(new Map(texts), hasDockerfile);
  const files = found
    .filter(({ path }) => !withParents(path).some(isOut))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const size = files.reduce((sum, { file }) => sum + file.size, 0);
  if (files.length === 0) throw new ToldError(folderText.none);
  if (size > bytesMax || files.length > filesMax) throw new ToldError(folderText.tooLarge);
  return { name, files, size };
}

/** `a/`, `a/b/` and `a/b/c`: what excludes a directory excludes all in it. */
function withParents(path: string): string[] {
  const parts = path.split('/');
  return parts.map((_, at) => (at === parts.length - 1 ? path : `${parts.slice(0, at + 1).join('/')}/`));
}
