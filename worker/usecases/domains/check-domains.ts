import { oneService } from '../../store/domains/service-names-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { namesTasks } from './names-tasks.ts';

/**
 * Lets the host check the DNS of a service's domains now instead of at its next interval, by sending the unchanged names.
 * Never throws: the host's regular check follows anyway.
 */
export async function checkDomains(
  deps: Pick<Dependencies, 'db' | 'hubs' | 'newId' | 'now'>,
  { id, runnerId }: { id: string; runnerId: string },
): Promise<void> {
  try {
    const [first, ...others] = namesTasks(deps, oneService(id), []);
    await deps.db.batch([first, ...others]);
    await deps.hubs.wake(runnerId);
  } catch (error) {
    console.error(`The host could not be asked to check the domains of ${id}:`, error);
  }
}
