import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { type SuggestedKey, suggestedKeysMax } from '../../protocol/job-report.ts';
import { parseEnvExample } from './env-example.ts';
import { pathInside } from './safe-path.ts';

const fileNames = ['.env.example', '.env.sample', '.env.template', '.env.dist'];
/** Far more than people write; the rest of a larger file is not read. */
const fileBytesMax = 64 * 1024;

/**
 * The variables that a service root lists in its example files, as suggestions for the service's settings.
 * The files are untrusted: any error in them just means fewer keys.
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

/** The first complete lines of a text file; empty if it is missing, is outside the root, or is not text. */
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
