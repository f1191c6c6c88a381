/**
 * Circles among imports, types included. A circle of files has no ground floor; a circle of rooms (the files and folders that lie
 * side by side in one folder) means that neither can be understood, moved or tested without the other.
 */
import type { SourceFile } from './source-file.ts';

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** Each group of files that import each other in a circle, sorted. */
export function importCircles(files: readonly SourceFile[]): string[][] {
  return circles(graphOf(files, (path) => path));
}

/** Each group of rooms in one folder that import each other in a circle, sorted, as paths. */
export function roomCircles(files: readonly SourceFile[]): string[][] {
  return foldersOf(files).flatMap((folder) =>
    circles(graphOf(files, (path) => roomIn(folder, path))).map((rooms) =>
      rooms.map((room) => `${folder}${room}`),
    ),
  );
}

/** Folders with more files side by side than a reader takes in at a glance, with their number. */
export function longFolders(
  files: readonly SourceFile[],
  filesMax: number,
): [folder: string, files: number][] {
  return foldersOf(files)
    .map((folder): [string, number] => {
      const inside = files.filter(({ path }) => path.startsWith(folder));
      return [folder, inside.filter(({ path }) => !path.slice(folder.length).includes('/')).length];
    })
    .filter(([, count]) => count > filesMax);
}

/** Every folder that holds a file, also indirectly, with a slash at its end; '' is the root. */
function foldersOf(files: readonly SourceFile[]): string[] {
  const folders = files.flatMap(({ path }) => {
    const parts = path.split('/').slice(0, -1);
    return parts.map((_, index) => `${parts.slice(0, index + 1).join('/')}/`);
  });
  return ['', ...new Set(folders)].sort();
}

function roomIn(folder: string, path: string): string | undefined {
  return path.startsWith(folder) ? path.slice(folder.length).split('/')[0] : undefined;
}

/** The imports between the nodes that files belong to; a file without a node is left out. */
function graphOf(files: readonly SourceFile[], nodeOf: (path: string) => string | undefined): Graph {
  const graph = new Map<string, Set<string>>();
  for (const { path, imports } of files) {
    const from = nodeOf(path);
    if (from === undefined) continue;
    const targets = graph.get(from) ?? new Set();
    graph.set(from, targets);
    for (const { own, target } of imports) {
      const to = own ? nodeOf(target) : undefined;
      if (to !== undefined && (to !== from || target === path)) targets.add(to);
    }
  }
  return graph;
}

/** Strongly connected components of more than one node, and nodes that import themselves (Tarjan 1972). */
function circles(graph: Graph): string[][] {
  const index = new Map<string, number>();
  const lowest = new Map<string, number>();
  const trail: string[] = [];
  const found: string[][] = [];
  const visit = (node: string) => {
    index.set(node, index.size);
    lowest.set(node, index.size - 1);
    trail.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!index.has(next)) visit(next);
      if (trail.includes(next)) lowest.set(node, Math.min(lowest.get(node) ?? 0, lowest.get(next) ?? 0));
    }
    if (lowest.get(node) !== index.get(node)) return;
    const component = trail.splice(trail.indexOf(node));
    if (component.length > 1 || graph.get(node)?.has(node)) found.push(component.sort());
  };
  for (const node of [...graph.keys()].sort()) if (!index.has(node)) visit(node);
  return found;
}
