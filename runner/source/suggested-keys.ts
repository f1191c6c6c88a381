import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { type SuggestedKey, suggestedKeysMax } from '../../protocol/job-report.ts';
import { parseEnvExample } from './env-example.ts';
import { pathInside } from './safe-path.ts';

const fileNames = ['.env.example', '.env.sample', '.env.template', '.env.dist'];
/** Far more than anybody writes; the rest of a larger file is not read. */
const fileBytesMax = 64 * 1024;

/**
 * The variables that a service root names in its example files, for whoever sets the service up.
 * The files are a stranger's: whatever is wrong with them, there are just fewer keys.
 */
export async function suggestedKeys(root: string): Promise<SuggestedKey[]> {
  const found = new Map<string, SuggestedKey>();
  for (const name of fileNames) {
    for (const one of parseEnvExample(await readHead(root, name))) {
      if (found.size < suggestedKeysMax && !found.has(one.key)) found.set(one.key, one);
    }
  }
  return [...found.values()];
}

/** The first whole lines of a text file; empty when there is none, when it leads out of the root, or is no text. */
async function readHead(root: string, name: string): Promise<string> {
  try {
    const path = await pathInside(root, name, 'The path');
    return path === undefined ? '' : await readText(path);
  } catch {
    return '';
  }
}

async function readText(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) return '';
    const { buffer, bytesRead } = await file.read(Buffer.alloc(fileBytesMax), 0, fileBytesMax, 0);
    const head = buffer.subarray(0, bytesRead);
    if (head.includes(0)) return '';
    const isWhole = bytesRead < fileBytesMax;
    return (isWhole ? head : head.subarray(0, head.lastIndexOf('\n') + 1)).toString('utf8');
  } finally {
    await file.close();
  }
}
