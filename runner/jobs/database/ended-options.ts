/** Options that were set in the running server are lost with its container. The log warns of them. */
import type { EngineEnvironment } from '../../engines/engine.ts';
import type { DatabaseAttempt } from './wait-until-serving.ts';

type Options = Readonly<Record<string, string>>;

/** The options of a running server; none when it does not answer, or its engine keeps them in the data. */
export async function optionsOf(
  { engine, port }: Pick<DatabaseAttempt, 'engine' | 'port'>,
  container: { address: string | null } | undefined,
  env: EngineEnvironment,
): Promise<Options> {
  if (!engine.runtimeOptions || !container?.address) return {};
  return engine.runtimeOptions({ host: container.address, port }, env).catch(() => ({}));
}

/** Warns of options that are different now, except where a setting of the service or its memory limit decides. */
export function warnOfEndedOptions(
  { made, source, context }: DatabaseAttempt,
  before: Options,
  now: Options,
) {
  const decided = { ...made.fromMemory, ...source.engineSettings };
  const ended = Object.entries(before).filter(
    ([name, value]) => now[name] !== undefined && now[name] !== value && decided[name] === undefined,
  );
  if (ended.length === 0) return;
  const changes = ended.map(([name, value]) => `${name} was "${value}" and is "${now[name]}"`).join(', ');
  context.log.line(
    'system',
    `Warning: ${changes}. Options that are set in the running server (CONFIG SET) are lost with its container: to keep them, set them in the service's "engineSettings".`,
  );
}
