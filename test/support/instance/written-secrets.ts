/** Searches for secrets in everything below a directory: databases, journals, logs, objects. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

export async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** A file that contains a secret, in plain text or in base64. */
export interface Hit {
  path: string;
  name: string;
  /** Others than the owner may open the file. */
  isOpenToOthers: boolean;
}

export async function findSecrets(paths: readonly string[], secrets: Record<string, string>): Promise<Hit[]> {
  const hits: Hit[] = [];
  for (const path of paths) {
    const bytes = await readFile(path).catch(() => Buffer.alloc(0)); // gone in between
    for (const [name, secret] of Object.entries(secrets)) {
      if (!formsOf(secret).some((form) => bytes.includes(form))) continue;
      hits.push({ path, name, isOpenToOthers: ((await stat(path)).mode & 0o077) !== 0 });
    }
  }
  return hits;
}

/** In base64, preceding bytes shift the letters. So there are three forms, without the ends that depend on the surrounding bytes. */
function formsOf(secret: string): string[] {
  const encoded = ['', 'x', 'xx'].map((before) =>
    Buffer.from(before + secret)
      .toString('base64')
      .replace(/=*$/, '')
      .slice(before.length + (before === '' ? 0 : 1), -1),
  );
  return [secret, ...encoded];
}
