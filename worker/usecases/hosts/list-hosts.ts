import { listRunners, type RunnerRow } from '../../store/runner-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** Hosts that are actually asked; for the others, in large fleets on the free plan's 50 subrequests, the rows are trusted. */
const asksMax = 40;

/** The enrolled hosts, and whether each is connected now. Hubs are asked, because rows outlive a killed control plane and sockets do not. */
export async function listHosts({
  db,
  hubs,
}: Pick<Dependencies, 'db' | 'hubs'>): Promise<{ runner: RunnerRow; connected: boolean }[]> {
  const runners = await listRunners(db);
  const asked = new Set(runners.filter((runner) => runner.connectedAt !== null).slice(0, asksMax));
  return Promise.all(
    runners.map(async (runner) => ({
      runner,
      connected: asked.has(runner)
        ? await hubs.isConnected(runner.id).catch(() => false)
        : runner.connectedAt !== null,
    })),
  );
}
