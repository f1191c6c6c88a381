/** Stores the settings with which a database has started, so that its backups can list those that were changed since. */
import type { DockerHost } from '../../docker/client.ts';
import { putFiles, readContainerFile } from '../../docker/container-files.ts';
import { startSettingsFile, startSettingsText } from '../../engines/archive/changed-settings.ts';
import type { Engine, EngineAddress, EngineEnvironment } from '../../engines/engine.ts';

/**
 * Call it as soon as the server answers. A container that has the file was only started again, with the same settings. After a failure the
 * backups report that the changes are unknown.
 */
export async function rememberStartSettings(
  { docker, engine }: { docker: DockerHost; engine: Pick<Engine, 'liveSettings'> },
  { id, address, env }: { id: string; address: EngineAddress; env: EngineEnvironment },
): Promise<void> {
  if (!engine.liveSettings) return;
  try {
    if ((await readContainerFile(docker, id, startSettingsFile)) !== undefined) return;
    const settings = await engine.liveSettings.read(address, env);
    await putFiles(docker, id, { [startSettingsFile]: startSettingsText(settings) });
  } catch {
    // A running database is not refused because of a sentence in its backups.
  }
}
