/** Prints the state of the layout in a few lines; exits with 1 when a rule is broken. Run by `npm run check`. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { importCircles, roomCircles } from './checker/import-cycles.ts';
import { importViolations } from './checker/import-table.ts';
import { readSources, sourceDirectories } from './checker/source-file.ts';

const projectRoot = fileURLToPath(new URL('../..', import.meta.url));
const sources = readSources(projectRoot, sourceDirectories);
const circles = importCircles(sources);
const rooms = roomCircles(sources);
const upward = sources.flatMap(importViolations);
const lines = sources
  .filter(({ path }) => path !== 'client/api-types.ts') // generated
  .map(({ path }) => readFileSync(`${projectRoot}${path}`, 'utf8').split('\n').length - 1)
  .sort((one, other) => one - other);
const percentile = (share: number) => lines[Math.floor((lines.length - 1) * share)];

console.log(`layout: ${sources.length} files, ${sources.flatMap(({ imports }) => imports).length} imports`);
console.log(
  `layout: ${circles.length} circles of files, ${rooms.length} circles of folders, ${upward.length} arrows up`,
);
console.log(`layout: lines a file p50 ${percentile(0.5)}, p90 ${percentile(0.9)}, max ${lines.at(-1)}`);
for (const broken of [...circles, ...rooms, ...upward]) console.error(broken);
if (circles.length + rooms.length + upward.length > 0) process.exitCode = 1;
