/**
 * For `ssh shop/web` and `run shop/web -- ls`: accepts the service as the first word, although the words are for the container and the service is
 * given with -s.
 */
import type { Project } from '../../client/client.ts';
import { findService } from './find.ts';

/**
 * Only an existing PROJECT/SERVICE counts, and only without -s. Any other word is a program in the container, such as bin/rake.
 * @returns the service, and the remaining words
 */
export async function serviceFirst(
  projects: () => Promise<readonly Project[]>,
  given: string | undefined,
  words: readonly string[],
): Promise<{ service: string | undefined; command: readonly string[] }> {
  const [first, ...command] = words;
  const isService = given === undefined && first !== undefined && /^[^/\s]+\/[^/\s]+$/.test(first);
  return isService && exists(await projects(), first)
    ? { service: first, command }
    : { service: given, command: words };
}

function exists(projects: readonly Project[], service: string): boolean {
  try {
    findService(projects, { service });
    return true;
  } catch {
    return false;
  }
}
