/** The routes of a host without a proxy, for tests of code that calls Traffic. */
import { routeUnder } from '../../../runner/proxy/route-table.ts';
import type { KnownNames, Route, Traffic } from '../../../runner/proxy/traffic.ts';

export interface MemoryTraffic extends Traffic {
  /** Every switch and removal, in order. */
  readonly history: string[];
}

export function memoryTraffic(): MemoryTraffic {
  const routes = new Map<string, Route>();
  const names = new Map<string, KnownNames>();
  const history: string[] = [];
  const take = (serviceId: string, assigned: KnownNames) => {
    const known = names.get(serviceId);
    if (known && known.revision > assigned.revision) return;
    names.set(serviceId, assigned);
    const route = routes.get(serviceId);
    if (route) routes.set(serviceId, routeUnder(assigned, route));
  };
  return {
    history,
    async switchTo(route, assigned) {
      const { serviceId } = route;
      history.push(`${serviceId} -> ${route.deploymentId}`);
      if (assigned) take(serviceId, { ...assigned, serviceId });
      routes.set(serviceId, routeUnder(names.get(serviceId), route));
    },
    async setDown(versions) {
      for (const { serviceId, deploymentId, down, awayUntil } of versions) {
        const route = routes.get(serviceId);
        if (route?.deploymentId !== deploymentId || route.target.type !== 'container') continue;
        const { awayUntil: _, ...target } = route.target;
        const away = awayUntil === undefined ? {} : { awayUntil };
        routes.set(serviceId, { ...route, target: { ...target, down: [...down], ...away } });
      }
    },
    async setAsleep({ serviceId, deploymentId }, sleep, retryAt) {
      const route = routes.get(serviceId);
      if (route?.deploymentId !== deploymentId || route.target.type !== 'container') return;
      const { asleep: _, retryAt: __, ...target } = route.target;
      const isAsleep = sleep.asleepSince !== null;
      const asleep = { ...target, asleep: true as const, ...(retryAt === undefined ? {} : { retryAt }) };
      routes.set(serviceId, { ...route, sleep, target: isAsleep ? asleep : target });
    },
    async setHeld({ serviceId, deploymentId }, until) {
      const route = routes.get(serviceId);
      if (route?.deploymentId !== deploymentId || route.target.type !== 'container') return;
      const { heldUntil: _, ...target } = route.target;
      routes.set(serviceId, { ...route, target: until === null ? target : { ...target, heldUntil: until } });
    },
    setNames: async (serviceId, assigned) => take(serviceId, { ...assigned, serviceId }),
    names: () => [...names.values()],
    onNames: () => undefined,
    async remove(serviceId) {
      if (routes.delete(serviceId)) history.push(`${serviceId} removed`);
    },
    async forget(serviceId) {
      await this.remove(serviceId);
      names.delete(serviceId);
    },
    current: (serviceId) => routes.get(serviceId),
    all: () => [...routes.values()],
    async probe(hostname) {
      const known = [...routes.values()].some((route) => route.hostnames.includes(hostname));
      return { ok: true, detail: `${hostname} answered ${known ? 200 : 404}` };
    },
    drained: async () => undefined,
  };
}
