/** The layout of the code, as docs/design/architecture.md describes it, is a fact that fails when it is broken. */
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { impurityViolations, shellViolations } from './checker/forbidden-calls.ts';
import { importCircles, roomCircles } from './checker/import-cycles.ts';
import { importViolations, layers } from './checker/import-table.ts';
import { readSources, sourceDirectories } from './checker/source-file.ts';
import { streamViolations } from './checker/stream-errors.ts';

const projectRoot = fileURLToPath(new URL('../..', import.meta.url));
const sources = readSources(projectRoot, sourceDirectories);

describe('the architecture', () => {
  test('every import is one that the table allows', { tags: 'slow' }, () => {
    expect(sources.flatMap(importViolations)).toEqual([]);
  });

  test('no files import each other in a circle', () => {
    expect(importCircles(sources)).toEqual([]);
  });

  test('no files and folders side by side import each other in a circle', () => {
    expect(roomCircles(sources)).toEqual([]);
  });

  test('every route lies in the folder of its subject', () => {
    const loose = sources.filter(({ path }) => /^worker\/api\/[^/]+$/.test(path));
    expect(loose).toEqual([]);
  });

  test('the host path knows no shell', { tags: 'slow' }, () => {
    // Its script is a constant that a container runs, what it is given are arguments: nothing else tells the process of a command there.
    // A user's line for the time of a backup runs in that user's container, through the same tools.
    const inContainers = [
      'runner/docker/exec-tools.ts',
      'runner/docker/shell/shell-exec.ts',
      'runner/jobs/data/files/quiesce.ts',
    ];
    const host = sources.filter(({ path }) => /^(runner|local)\//.test(path) && !inContainers.includes(path));
    expect(host.flatMap(shellViolations)).toEqual([]);
  });

  test('every stream and emitter has somebody who listens to its errors', { tags: 'slow' }, () => {
    const programs = sources.filter(({ path }) => /^(runner|local|worker|cli|host)\//.test(path));
    expect(programs.flatMap(streamViolations)).toEqual([]);
  });

  test('protocol and domain know no clock, no chance and no network', () => {
    const pure = sources.filter(({ path }) => /^(protocol|worker\/domain)\//.test(path));
    expect(pure.flatMap(impurityViolations)).toEqual([]);
  });

  test('the import table has no empty layer: every layer has files', () => {
    const empty = Object.entries(layers).filter(
      ([, { files }]) => !sources.some(({ path }) => files.test(path)),
    );
    expect(empty.map(([name]) => name)).toEqual([]);
  });
});
