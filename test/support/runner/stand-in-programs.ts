import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryDirectory } from './temporary-directory.ts';

/** Programs on the PATH that record their arguments, environment and secrets, and then run `script`. */
export function standIns(programs: Record<string, string>): {
  directory: string;
  read(name: string): string;
} {
  const directory = temporaryDirectory();
  const bin = join(directory, 'bin');
  mkdirSync(bin);
  for (const [name, script] of Object.entries(programs)) {
    const text = `#!/bin/sh\nout='${directory}'\necho "$*" >> "$out/${name}.args"; env >> "$out/${name}.env"\n${script}\n`;
    writeFileSync(join(bin, name), text, { mode: 0o755 });
  }
  const path = process.env.PATH;
  process.env.PATH = `${bin}${delimiter}${path}`;
  onTestFinished(() => {
    process.env.PATH = path;
  });
  return { directory, read: (name) => readFileSync(join(directory, name), 'utf8') };
}
