/** `ssh shop/web` and `run shop/web -- ls`: a first word that names a service, where a command takes the service from -s and words for the container. */
import type { Project } from '../../client/client.ts';
import { findService } from './find.ts';

/**
 * Only PROJECT/SERVICE that exists counts, and only without -s: any other word is a program of the container, such as bin/rake.
 * @returns the service that it names, and the words that are left
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
