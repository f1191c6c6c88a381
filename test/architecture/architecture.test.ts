/** The layout of the code, as README's table says it, is a fact that fails when it is broken. */
import { describe, expect, test } from 'vitest';
import { impurityViolations, shellViolations } from './checker/forbidden-calls.ts';
import { importCycles } from './checker/import-cycles.ts';
import { importViolations, layers } from './checker/import-table.ts';
import { readSources } from './checker/source-file.ts';

const projectRoot = new URL('../..', import.meta.url).pathname;
const sources = readSources(projectRoot, ['protocol', 'worker', 'runner', 'local', 'client']);

describe('the architecture', () => {
  test('every import is one that the table allows', () => {
    expect(sources.flatMap(importViolations)).toEqual([]);
  });

  test('no import leads in a circle', () => {
    expect(importCycles(sources)).toEqual([]);
  });

  test('the host path knows no shell', () => {
    // Its script is a constant that a container runs, what it is given are arguments: nothing else tells the process of a command there.
    const inContainers = 'runner/docker/container-tools.ts';
    const host = sources.filter(({ path }) => /^(runner|local)\//.test(path) && path !== inContainers);
    expect(host.flatMap(shellViolations)).toEqual([]);
  });

  test('protocol and domain know no clock, no chance and no network', () => {
    const pure = sources.filter(({ path }) => /^(protocol|worker\/domain)\//.test(path));
    expect(pure.flatMap(impurityViolations)).toEqual([]);
  });

  test('what exists is looked at: every layer has files', () => {
    const empty = Object.entries(layers).filter(
      ([, { files }]) => !sources.some(({ path }) => files.test(path)),
    );
    expect(empty.map(([name]) => name)).toEqual([]);
  });
});
