/** The routes of a host without a proxy: for tests of what calls Traffic. */
import type { Route, Traffic } from '../../../runner/proxy/traffic.ts';

export interface MemoryTraffic extends Traffic {
  /** Every switch and removal, in order. */
  readonly history: string[];
}

export function memoryTraffic(): MemoryTraffic {
  const routes = new Map<string, Route>();
  const history: string[] = [];
  return {
    history,
    async switchTo(route) {
      history.push(`${route.serviceId} -> ${route.deploymentId}`);
      routes.set(route.serviceId, route);
    },
    async remove(serviceId) {
      if (routes.delete(serviceId)) history.push(`${serviceId} removed`);
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
