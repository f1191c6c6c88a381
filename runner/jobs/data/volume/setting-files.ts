import { labels } from '../../../../protocol/names.ts';
import type { ContainerFacts } from '../../../docker/containers.ts';
import type { BrowsableEngine, EngineEnvironment } from '../../../engines/engine.ts';

/** Absolute paths of what was put into a database's container beside its image: its settings, and its certificate if it offers TLS. */
export function settingFiles(
  engine: Pick<BrowsableEngine, 'container'>,
  env: EngineEnvironment,
  { labels: of, memoryLimitMb }: Pick<ContainerFacts, 'labels' | 'memoryLimitMb'>,
): string[] {
  const { tls, files } = engine.container({ env, logicalReplication: false, memoryLimitMb });
  const ofTls = tls && of[labels.tlsNames] !== undefined ? [tls.certificateFile, tls.keyFile] : [];
  return [...Object.keys(files), ...ofTls];
}
