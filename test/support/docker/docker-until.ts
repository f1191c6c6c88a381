import type { DockerHost } from '../../../runner/docker/client.ts';

/** A Docker whose n-th call of this kind never returns, as if the runner had died at that moment. */
export function dockerUntil(of: DockerHost, change: 'stop' | 'rename' | 'start', count: number) {
  const reached = Promise.withResolvers<void>();
  let left = count;
  const never = () => {
    reached.resolve();
    return new Promise<never>(() => {});
  };
  const bound = (target: object, key: string | symbol) => {
    const value: unknown = Reflect.get(target, key);
    return typeof value === 'function' ? value.bind(target) : value;
  };
  const engine = new Proxy(of.engine, {
    get(target, key) {
      if (key !== 'getContainer') return bound(target, key);
      return (id: string) =>
        new Proxy(target.getContainer(id), {
          get(container, called) {
            if (called === change && --left <= 0) return never;
            return bound(container, called);
          },
        });
    },
  });
  const docker: DockerHost = { ...of, engine };
  return { docker, reached: reached.promise };
}
