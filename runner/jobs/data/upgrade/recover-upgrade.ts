import { removeIsolatedEngine } from '../volume/isolated-engine.ts';
import { dropKeptVersion } from '../volume/kept-version.ts';
import { recoverVolumeSwap } from '../volume/load-volume.ts';
import { lastNamesOf, namesOf, partsOf, type Upgrade } from './upgrade-parts.ts';

/**
 * Finishes or undoes an interrupted upgrade. Containers that work on the data are removed first: two servers never run on one volume.
 * @returns whether the new version is live; if not, the old one runs and nothing of the upgrade is left
 * @throws EngineError, DockerError: try again
 */
export async function recoverUpgrade(
  upgrade: Pick<Upgrade, 'parts' | 'spec'>,
): Promise<'swapped' | 'untouched'> {
  const parts = partsOf(upgrade);
  const names = namesOf(upgrade.spec);
  for (const one of [lastNamesOf(upgrade.spec), names]) await removeIsolatedEngine(parts, one);
  const ended = await recoverVolumeSwap(parts, names);
  if (ended === 'untouched') await dropKeptVersion(parts, names);
  return ended;
}
