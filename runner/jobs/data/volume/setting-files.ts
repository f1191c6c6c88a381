import type { ContainerFacts } from '../../../docker/containers.ts';
import { offersTls } from '../../../docker/offers-tls.ts';
import type { BrowsableEngine, EngineEnvironment } from '../../../engines/engine.ts';

/** Absolute paths of the files that were added to a database's container: its settings, its key, and its certificate if it offers TLS. */
export function settingFiles(
  engine: Pick<BrowsableEngine, 'container'>,
  env: EngineEnvironment,
  live: Pick<ContainerFacts, 'hasDataVolume' | 'labels' | 'memoryLimitMb'>,
): string[] {
  const { tls, files, keyFile } = engine.container({
    env,
    logicalReplication: false,
    memoryLimitMb: live.memoryLimitMb,
    chosen: {},
  });
  const ofTls = tls && offersTls(live) ? [tls.certificateFile, tls.keyFile] : [];
  return [...Object.keys(files), ...(keyFile ? [keyFile.path] : []), ...ofTls];
}
