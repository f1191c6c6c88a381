import type { EngineName } from '../../../../protocol/database.ts';
import { labels } from '../../../../protocol/names.ts';
import type { ContainerFacts } from '../../../docker/containers.ts';
import type { EngineEnvironment } from '../../../engines/engine.ts';
import { engines } from '../../../engines/index.ts';

/** Absolute paths of what was put into a database's container beside its image: its settings, and its certificate if it offers TLS. */
export function settingFiles(
  engine: EngineName,
  env: EngineEnvironment,
  { labels: of, memoryLimitMb }: Pick<ContainerFacts, 'labels' | 'memoryLimitMb'>,
): string[] {
  const made = engines[engine]?.container({ env, logicalReplication: false, memoryLimitMb });
  const { tls, files = {} } = made ?? {};
  const ofTls = tls && of[labels.tlsNames] !== undefined ? [tls.certificateFile, tls.keyFile] : [];
  return [...Object.keys(files), ...ofTls];
}
