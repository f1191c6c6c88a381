/** The processes of one instance, found through files of the instance, and `kill -9` for exactly these processes. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { isAlive } from '../../../local/instance/process-identity.ts';

export const programs = ['start', 'runner', 'workerd', 'edge', 'caddy'] as const;
export type Program = (typeof programs)[number];

const identitySchema = z.object({ pid: z.number(), startTime: z.string() });
const lockSchema = z.object({
  node: identitySchema,
  workerd: z.array(identitySchema),
  runner: identitySchema.nullable(),
});

type Identity = z.infer<typeof identitySchema>;

const goneWithinMs = 5_000;
const pollMs = 5;

/** Finds only running processes. */
async function processesOf(dataDirectory: string): Promise<Record<Program, Identity[]>> {
  const read = async <T>(schema: z.ZodType<T>, ...path: string[]): Promise<T | undefined> => {
    const text = await readFile(join(dataDirectory, ...path), 'utf8').catch(() => undefined);
    return text === undefined ? undefined : schema.parse(JSON.parse(text));
  };
  const [lock, edge, caddy] = await Promise.all([
    read(lockSchema, 'lock'),
    read(identitySchema, 'runner', 'edge', 'process.json'),
    read(identitySchema, 'runner', 'caddy', 'process.json'),
  ]);
  const living = (...identities: (Identity | null | undefined)[]) =>
    identities.filter((one) => one !== null && one !== undefined).filter(isAlive);
  return {
    start: living(lock?.node),
    runner: living(lock?.runner),
    workerd: living(...(lock?.workerd ?? [])),
    edge: living(edge),
    caddy: living(caddy),
  };
}

/** Kills all of them at the same moment. @throws Error if one of them was not running, because such a test would prove nothing */
export async function killNine(dataDirectory: string, victims: readonly Program[]): Promise<void> {
  const found = await processesOf(dataDirectory);
  const missing = victims.filter((victim) => found[victim].length === 0);
  if (missing.length > 0) throw new Error(`not running: ${missing.join(', ')}`);
  const killed = victims.flatMap((victim) => found[victim]);
  for (const { pid } of killed) process.kill(pid, 'SIGKILL');
  const endsAt = performance.now() + goneWithinMs;
  while (killed.some(isAlive)) {
    if (performance.now() > endsAt) throw new Error(`not gone: ${victims.join(', ')}`);
    await pause(pollMs);
  }
}
