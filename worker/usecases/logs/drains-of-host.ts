/** The log drains of a host, in the form for the host. */
import { type Drain, drainsPlace } from '../../../protocol/logs/drains.ts';
import { requestPlace } from '../../../protocol/sealed-box.ts';
import { allowsPrivateFor } from '../../domain/names/webhook-url.ts';
import { sealBox } from '../../security/sealed-box.ts';
import { type HostDrainRow, readDrainsOfHost } from '../../store/logs/log-drain-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { readSettings } from '../instance/change-settings.ts';
import { openDrainTarget } from './change-drains.ts';

type Needs = Pick<Dependencies, 'db' | 'envelope' | 'now'>;

/** @returns the drains, sealed for the host; null if there are none */
export async function sealedDrainsOf(deps: Needs, runnerId: string): Promise<string | null> {
  const { host, drains } = await readDrainsOfHost(deps.db, runnerId, deps.now());
  if (!host || drains.length === 0) return null;
  const settings = await readSettings(deps);
  const opened = await Promise.all(
    drains.map((row) => openDrain(deps, row, allowsPrivateFor(row.tenantId, settings))),
  );
  const clear = JSON.stringify(opened.flatMap((drain) => drain ?? []));
  return await sealBox(host.sealingKey, requestPlace(runnerId, drainsPlace), clear);
}

/** @returns undefined for a drain that can't be decrypted: the others are still sent */
async function openDrain(deps: Needs, row: HostDrainRow, allowPrivate: boolean): Promise<Drain | undefined> {
  const { id, level, project, services } = row;
  const target = await openDrainTarget(deps, row).catch(() => undefined);
  return target && { id, target, allowPrivate, level, project, services: JSON.parse(services) };
}
