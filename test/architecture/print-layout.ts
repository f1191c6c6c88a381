/** Prints the state of the layout in a few lines; exits with 1 when a rule is broken, and warns of long files and folders. Run by `npm run check`. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { importCircles, longFolders, roomCircles } from './checker/import-cycles.ts';
import { importViolations } from './checker/import-table.ts';
import { readSources, sourceDirectories } from './checker/source-file.ts';

const projectRoot = fileURLToPath(new URL('../..', import.meta.url));
const sources = readSources(projectRoot, sourceDirectories);
const circles = importCircles(sources);
const rooms = roomCircles(sources);
const upward = sources.flatMap(importViolations);
const files = sources
  .filter(({ path }) => path !== 'client/api-types.ts') // generated
  .map(({ path }) => ({ path, lines: readFileSync(`${projectRoot}${path}`, 'utf8').split('\n').length - 1 }))
  .sort((one, other) => one.lines - other.lines);
const percentile = (share: number) => files[Math.floor((files.length - 1) * share)]?.lines;

console.log(`layout: ${sources.length} files, ${sources.flatMap(({ imports }) => imports).length} imports`);
console.log(
  `layout: ${circles.length} circles of files, ${rooms.length} circles of folders, ${upward.length} arrows up`,
);
console.log(
  `layout: lines a file p50 ${percentile(0.5)}, p90 ${percentile(0.9)}, max ${files.at(-1)?.lines}`,
);
// What is long may still be one thing: a reviewer decides.
for (const { path, lines } of files)
  if (lines > 250) console.log(`layout: ${path} has ${lines} lines: is it one subject?`);
for (const [folder, count] of longFolders(sources, 30))
  console.log(`layout: ${folder} has ${count} files: is it one subject?`);
for (const broken of [...circles, ...rooms, ...upward]) console.error(broken);
if (circles.length + rooms.length + upward.length > 0) process.exitCode = 1;
