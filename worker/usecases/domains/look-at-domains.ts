import { oneService } from '../../store/service-names-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { namesTasks } from './tell-names.ts';

/**
 * Has the host look at the DNS of a service's domains now instead of at its next time: it is told the names that it knows, and looks.
 * Never throws: its schedule comes all the same.
 */
export async function lookAtDomains(
  deps: Pick<Dependencies, 'db' | 'hubs' | 'now'>,
  { id, runnerId }: { id: string; runnerId: string },
): Promise<void> {
  try {
    const [first, ...others] = namesTasks(deps, oneService(id), []);
    await deps.db.batch([first, ...others]);
    await deps.hubs.wake(runnerId);
  } catch (error) {
    console.error(`the host was not told to look at the domains of ${id}`, error);
  }
}
