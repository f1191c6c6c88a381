/** What is said when a server accepts no more connections, or runs no more queries at once. */
import type { Engine, EngineAddress, EngineEnvironment, Usage } from './engine.ts';
import { EngineError } from './engine-error.ts';

/** What a server can run out of. */
export interface Limited {
  /** Such as `connections`. */
  things: string;
  /** The engine's own name of its limit. */
  setting: string;
  /** Absent: not known. */
  usage?: Usage;
}

/** Users that a sentence names. */
const namedUsersMax = 3;

/** The server is full. Nothing was done, and it may be done when somebody has left. */
export class ConnectionsFull extends EngineError {
  readonly limited: Limited;

  constructor(limited: Limited, options: { cause?: unknown } = {}) {
    super('unavailable', sentenceOf(limited), options);
    this.limited = limited;
  }
}

/** The same error with the numbers, if the engine has a way to ask for them now. Never rejects. */
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
