/** Messages about a server that accepts no more connections, or runs no more queries at once. */
import type { Engine, EngineAddress, EngineEnvironment, Usage } from './engine.ts';
import { EngineError } from './engine-error.ts';

/** The limited resource of a server. */
export interface Limited {
  /** The resource's name, such as `connections`. */
  things: string;
  /** The engine's own name of its limit. */
  setting: string;
  /** Absent if unknown. */
  usage?: Usage;
}

/** The number of users in a message. */
const namedUsersMax = 3;

/** The server is full. Nothing was done. The request can succeed when a client has left. */
export class ConnectionsFull extends EngineError {
  readonly limited: Limited;

  constructor(limited: Limited, options: { cause?: unknown } = {}) {
    super('unavailable', sentenceOf(limited), options);
    this.limited = limited;
  }
}

/** The same error with the numbers, if the engine can still be asked for them. Never rejects. */
export async function withUsage(
  error: unknown,
  { usage }: Pick<Engine, 'usage'>,
  address: EngineAddress,
  env: EngineEnvironment,
): Promise<unknown> {
  if (!(error instanceof ConnectionsFull) || error.limited.usage || !usage) return error;
  const now = await usage(address, env).catch(() => undefined);
  return now ? new ConnectionsFull({ ...error.limited, usage: now }, { cause: error }) : error;
}

function sentenceOf({ things, setting, usage }: Limited): string {
  const users = (usage?.users ?? [])
    .slice(0, namedUsersMax)
    .map(({ name, count }) => `${count} of them by ${name}`);
  const all = usage ? `All ${usage.max} ${things}` : `All ${things}`;
  const by = users.length > 0 ? `, ${users.join(', ')}` : '';
  return `${all} of this database are in use${by}: end some of them, or raise ${setting} in "engineSettings".`;
}
