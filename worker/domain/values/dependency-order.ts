/**
 * Orders a directed graph so that every node comes after its dependencies, and finds its cycles: Tarjan's algorithm
 * ("Depth-first search and linear graph algorithms", 1972), without recursion because a chain can be longer than the stack.
 */

export interface DependencyOrder {
  order: string[];
  /** Nodes with the same number are in a common cycle; a node that depends on itself is in a cycle, too. */
  component: Map<string, number>;
}

interface Visit {
  id: string;
  targets: string[];
  /** Index of the next target to visit. */
  next: number;
}

/** @param targetsOf the dependencies of a node; only nodes in `ids` */
export function dependencyOrder(
  ids: readonly string[],
  targetsOf: (id: string) => string[],
): DependencyOrder {
  const index = new Map<string, number>();
  /** The lowest index that a node can reach. */
  const low = new Map<string, number>();
  const component = new Map<string, number>();
  const order: string[] = [];
  const path: string[] = [];
  const visits: Visit[] = [];
  let components = 0;

  const enter = (id: string) => {
    index.set(id, index.size);
    low.set(id, index.size - 1);
    path.push(id);
    visits.push({ id, targets: targetsOf(id), next: 0 });
  };
  const lower = (id: string, to: number | undefined) => {
    low.set(id, Math.min(low.get(id) ?? 0, to ?? Number.POSITIVE_INFINITY));
  };
  /** A node closes a component if it reaches no earlier node. */
  const leave = ({ id }: Visit) => {
    visits.pop();
    const above = visits.at(-1);
    if (above) lower(above.id, low.get(id));
    if (low.get(id) !== index.get(id)) return;
    for (let member = path.pop(); member !== undefined; member = path.pop()) {
      component.set(member, components);
      order.push(member);
      if (member === id) break;
    }
    components++;
  };

  for (const root of ids) {
    if (!index.has(root)) enter(root);
    for (let visit = visits.at(-1); visit; visit = visits.at(-1)) {
      const target = visit.targets[visit.next++];
      if (target === undefined) leave(visit);
      else if (!index.has(target)) enter(target);
      else if (!component.has(target)) lower(visit.id, index.get(target));
    }
  }
  return { order, component };
}
