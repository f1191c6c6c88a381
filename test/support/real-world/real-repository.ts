/** A repository like that of an old project: a large history, very many files, and names of every kind. */
import { spawn } from 'node:child_process';
import { randomFillSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

export interface RealRepository {
  /** Files of the tip with odd names, and their contents. */
  readable: Readonly<Record<string, string>>;
  /** The decoded name of a file whose name is not UTF-8. */
  unreadable: string;
  branch: string;
  /** The commit of its tip. */
  commitSha: string;
}

/** Files of the tip by their names. */
const readable: Readonly<Record<string, string>> = {
  'windows.txt': 'one\r\ntwo\r\n',
  'with space/a b.txt': 'blank',
  'größe/ümläut ß.txt': 'umlauts',
  '-rf': 'like an option',
  'line\nbreak.txt': 'two lines',
  'back\\slash.txt': 'not a folder',
  '"quoted\'.txt': 'quotes',
  '*.glob[a]': 'pattern',
  'emoji 🚢.txt': 'ship',
  [`${'deep/'.repeat(80)}end.txt`]: 'deep',
  [`${'n'.repeat(255)}`]: 'long name',
};
/** A name in an old encoding. */
const unreadable = Buffer.from('latin1/gr\xf6\xdfe.txt', 'latin1');

/** A branch name as long as those of teams that put tickets into names. */
const deepBranch = `feature/team-a/2026/${'ticket-'.repeat(20)}end`;
const who = 'Grown <grown@localhost> 1790000000 +0000';
const blobBytes = 8 * 2 ** 20;

/**
 * Creates the bare repository `<root>/<name>`.
 * @param historyMb size of random bytes that only old commits contain
 * @param files number of small files in the tip, besides the odd ones
 */
export async function realRepository(
  root: string,
  name: string,
  { historyMb, files, branch = deepBranch }: { historyMb: number; files: number; branch?: string },
): Promise<RealRepository> {
  const directory = join(root, name);
  mkdirSync(root, { recursive: true });
  await run(['init', '-q', '--bare', `--initial-branch=${branch}`, directory]);
  const settings = ['-c', 'core.compression=0', '-c', 'core.bigFileThreshold=1m'];
  const git = spawn('git', ['-C', directory, ...settings, 'fast-import', '--quiet'], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const ended = once(git, 'exit');
  const say = async (part: string | Buffer) => {
    const bytes = typeof part === 'string' ? Buffer.from(part, 'latin1') : part;
    if (!git.stdin.write(bytes)) await once(git.stdin, 'drain');
  };
  const data = async (bytes: Buffer | string) => {
    await say(`data ${typeof bytes === 'string' ? Buffer.byteLength(bytes) : bytes.length}\n`);
    await say(typeof bytes === 'string' ? Buffer.from(bytes) : bytes);
    await say('\n');
  };
  const ref = `refs/heads/${branch}`;
  const commit = async (message: string) => {
    await say(`commit ${ref}\ncommitter ${who}\n`);
    await data(message);
  };
  for (let megabytes = 0; megabytes < historyMb; megabytes += blobBytes / 2 ** 20) {
    await commit(`video ${megabytes}`);
    await say('M 100644 inline video.bin\n');
    await data(randomFillSync(Buffer.allocUnsafe(blobBytes)));
  }
  await commit('the tip\n\nwith a body');
  await say('deleteall\n');
  for (let file = 0; file < files; file += 1) {
    await say(`M 100644 inline src/part-${file % 500}/module-${file}.js\n`);
    await data(`export const number = ${file};\n`);
  }
  const named = Object.entries(readable).map(([path, content]) => [Buffer.from(path), content] as const);
  for (const [path, content] of [...named, [unreadable, 'another encoding'] as const]) {
    await say(`M 100644 inline ${quoted(path.toString('latin1'))}\n`);
    await data(content);
  }
  git.stdin.end('done\n');
  await ended;
  const commitSha = (await run(['-C', directory, 'rev-parse', ref])).trim();
  return { readable, unreadable: unreadable.toString(), branch, commitSha };
}

/** Quotes a path for fast-import, with C's escapes. */
const quoted = (path: string) => `"${path.replace(/["\\]/g, '\\$&').replace(/\n/g, '\\n')}"`;

async function run(args: readonly string[]): Promise<string> {
  const git = spawn('git', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  git.stdout.on('data', (part: Buffer) => {
    text += part.toString();
  });
  const [code] = await once(git, 'close');
  if (code !== 0) throw new Error(`git ${args.join(' ')} ended with ${code}`);
  return text;
}
