import { listRunners, type RunnerRow } from '../../store/runner-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** Hosts that are asked; of the others (fleets on the free plan's 50 subrequests) the rows' word is taken. */
const asksMax = 40;

/** The hosts that are not revoked, and whether each is connected now: rows outlive a control plane that was killed, sockets do not. */
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
