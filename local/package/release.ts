/**
 * `npm run release`: does every step of a release that is not public. It checks the state of the clone, packs the npm packages into
 * `dist/release`, and creates the tag. At the end it prints the commands that publish. `--dry-run` creates no tag, and only reports what would
 * stop a release.
 */
import { mkdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { runCommand } from '../setup/command.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const target = join(root, 'dist/release');
const timeoutMs = 300_000;
const packageBytesMax = 8_000_000;
const run = (file: string, ...args: string[]) => runCommand(file, args, { timeoutMs, cwd: root });

export interface ReleaseState {
  version: string;
  changelog: string;
  tags: readonly string[];
  /** Files that are not committed. */
  changed: readonly string[];
}

/** @returns the reasons against a release of this commit, as sentences; empty if there are none */
export function obstacles({ version, changelog, tags, changed }: ReleaseState): string[] {
  const found: string[] = [];
  const [unreleased = '', newest = ''] = changelog.split(/^## /m).slice(1);
  if (!newest.startsWith(`[${version}] - `))
    found.push(`The newest release in CHANGELOG.md is not ${version}, the version of package.json.`);
  if (unreleased.split('\n').slice(1).join('').trim() !== '')
    found.push('CHANGELOG.md has entries under "Unreleased": give them a version and a date.');
  if (tags.includes(`v${version}`))
    found.push(`The tag v${version} exists: run "npm version" for the next version first.`);
  if (changed.length > 0) found.push(`Files are not committed: ${changed.join(', ')}.`);
  return found;
}

async function readState(): Promise<ReleaseState> {
  const linesOf = (text: string) => text.split('\n').filter((line) => line !== '');
  const manifest = await readFile(join(root, 'package.json'), 'utf8');
  return {
    ...z.object({ version: z.string() }).parse(JSON.parse(manifest)),
    changelog: await readFile(join(root, 'CHANGELOG.md'), 'utf8'),
    tags: linesOf(await run('git', 'tag', '--list')),
    changed: linesOf(await run('git', 'status', '--porcelain')).map((line) => line.slice(3)),
  };
}

const packedSchema = z.tuple([z.object({ name: z.string(), version: z.string(), filename: z.string() })]);

/** @returns the names of the packed files, in the order in which they are published: the command line last, because it fetches the server */
async function pack(version: string): Promise<string[]> {
  await run('npm', 'run', 'server:package');
  await run('npm', 'run', 'cli:package');
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  const files: string[] = [];
  for (const folder of ['runner', 'server', 'package']) {
    const answer = await run('npm', 'pack', `./dist/${folder}`, '--pack-destination', target, '--json');
    const [packed] = packedSchema.parse(JSON.parse(answer));
    const { size } = await stat(join(target, packed.filename));
    console.log(`${packed.name}@${packed.version}  ${(size / 1e6).toFixed(1)} MB`);
    if (packed.version !== version) throw new Error(`${packed.name} has the version ${packed.version}.`);
    if (size > packageBytesMax) throw new Error(`${packed.name} is larger than ${packageBytesMax} bytes.`);
    files.push(packed.filename);
  }
  return files;
}

async function release(isDryRun: boolean): Promise<void> {
  const state = await readState();
  const found = obstacles(state);
  for (const obstacle of found) console.log(isDryRun ? `Would stop a release: ${obstacle}` : obstacle);
  if (found.length > 0 && !isDryRun) {
    process.exitCode = 1;
    return;
  }
  const tag = `v${state.version}`;
  const files = await pack(state.version);
  if (isDryRun) return console.log(`Dry run: the tag ${tag} was not created.`);
  await run('git', 'tag', '--annotate', tag, '--message', `Longshore ${state.version}`);
  const commit = (await run('git', 'rev-parse', '--short=8', 'HEAD')).trim();
  console.log(`
The tag ${tag} was created here. Nothing is published yet. These commands publish; npm asks for your second factor:

  git push origin ${tag}
${files.map((file) => `  npm publish dist/release/${file} --access public`).join('\n')}

Then set "lastRelease" in test/support/last-release.ts to '${commit}'. To take the tag back before the push: git tag --delete ${tag}`);
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } });
  await release(values['dry-run']);
}
