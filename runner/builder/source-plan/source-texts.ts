/** The texts of the code of a source, within bounds: a repository may have any number of files. */
import { posix } from 'node:path';
import type { ProjectFiles } from '../analyzer/project-files.ts';

export interface SourceText {
  path: string;
  text: string;
}

const filesMax = 400;
const charactersMax = 3_000_000;
const depthMax = 6;
const directoriesMax = 600;
/** A longer one is generated or bundled. */
const fileCharactersMax = 200_000;

const isCode =
  /\.(?:[cm]?[jt]sx?|vue|svelte|astro|py|rb|go|rs|php|java|kt|kts|scala|ex|exs|cs|fs|sh|prisma)$/;
const isApart =
  /^(?:\.|node_modules\/|vendor\/|venv\/|env\/|dist\/|build\/|out\/|target\/|coverage\/|public\/|docs?\/|tests?\/|__tests__\/|specs?\/|e2e\/|fixtures\/|examples?\/|third_party\/|site-packages\/)/i;
const isTest = /(?:\.|_|-)(?:test|spec|stories|d)\.[a-z]+$|^test_|^conftest\.py$|\.min\.js$/i;

/** The code of the service root, directories near the top first. @param except directories that are left out */
export function sourceTexts(files: ProjectFiles, except: readonly string[] = []): SourceText[] {
  const found: SourceText[] = [];
  let characters = 0;
  let directories = ['.'];
  let visited = 0;
  for (let depth = 0; depth <= depthMax; depth += 1) {
    const below: string[] = [];
    for (const directory of directories) {
      visited += 1;
      if (visited > directoriesMax) return found;
      for (const name of files.list(directory)) {
        if (isApart.test(name)) continue;
        const path = posix.join(directory, name);
        if (name.endsWith('/')) {
          if (!except.includes(path.slice(0, -1))) below.push(path.slice(0, -1));
        } else if (isCode.test(name) && !isTest.test(name)) {
          const text = files.read(path);
          if (text === undefined || text.length > fileCharactersMax) continue;
          characters += text.length;
          found.push({ path, text });
          if (found.length >= filesMax || characters > charactersMax) return found;
        }
      }
    }
    directories = below;
  }
  return found;
}
