import { type Switch, switchOf } from '../../domain/services/volumes.ts';
import type { ServiceRow } from '../../store/services/service-store.ts';
import { selectVolumeCount } from '../../store/services/volume-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** Whether the next deployment of a service stops the old version before the new one starts. */
export async function readSwitch({ db }: Pick<Dependencies, 'db'>, service: ServiceRow): Promise<Switch> {
  const [row] = await selectVolumeCount(db, service.id);
  return switchOf(service, row?.count ?? 0);
}
