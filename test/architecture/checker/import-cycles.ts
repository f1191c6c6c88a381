/** Cycles among imports that exist at run time: with one, the order of loading decides what is undefined. */
import type { SourceFile } from './source-file.ts';

/** Each cycle once, as the list of files round it, beginning with the first by name. */
export function importCycles(files: SourceFile[]): string[][] {
  const edges = new Map(
    files.map(({ path, imports }) => [
      path,
      imports.filter(({ own, typeOnly }) => own && !typeOnly).map(({ target }) => target),
    ]),
  );
  const done = new Set<string>();
  const cycles = new Map<string, string[]>();
  const visit = (path: string, trail: string[]) => {
    const seenAt = trail.indexOf(path);
    if (seenAt !== -1) {
      const cycle = fromFirst(trail.slice(seenAt));
      cycles.set(cycle.join(), cycle);
      return;
    }
    if (done.has(path)) return;
    for (const next of edges.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of [...edges.keys()].sort()) visit(path, []);
  return [...cycles.values()];
}

function fromFirst(cycle: string[]): string[] {
  const first = cycle.indexOf([...cycle].sort()[0] ?? '');
  return [...cycle.slice(first), ...cycle.slice(0, first)];
}
