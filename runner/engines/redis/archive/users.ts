/** Writes the users of a running Redis from its memory to the file on its volume. */
import { runTool } from '../../archive/run-tool.ts';
import type { ContainerTools } from '../../container-tools.ts';
import type { EngineEnvironment } from '../../engine.ts';
import { usersFile } from '../users-file.ts';
import { ask } from './cli.ts';

interface Place {
  env: EngineEnvironment;
  tools: ContainerTools;
  signal: AbortSignal;
}

/** The users besides the default one, as lines of a file of users. Empty for a version without users. @throws EngineError */
export async function usersOf(place: Place): Promise<string[]> {
  const lines = (await ask(place, 'ACL', 'LIST')).split('\n');
  return lines.filter((line) => line.startsWith('user ') && !line.startsWith('user default '));
}

/**
 * Writes the users that are in the server's memory to their file. Redis before version 7 does not use the file: without users, such a
 * server does not change it.
 * @throws EngineError
 */
export async function keepUsers(place: Place): Promise<void> {
  const users = await usersOf(place);
  const hasFile = (await ask(place, 'CONFIG', 'GET', 'aclfile')).includes(usersFile);
  if (hasFile || users.length > 0) await writeUsers(place, users);
}

export const userName = (line: string) => line.split(' ')[1] ?? '';

/** Writes the file from which the next start takes its users. @throws EngineError */
export async function writeUsers(place: Omit<Place, 'env'>, users: readonly string[]): Promise<void> {
  const part = `${usersFile}.part`;
  await runTool(place, ['dd', `of=${part}`], { stdin: bytesOf(users) });
  await runTool(place, ['mv', part, usersFile]);
}

async function* bytesOf(users: readonly string[]): AsyncGenerator<Buffer> {
  yield Buffer.from(users.map((line) => `${line}\n`).join(''));
}
