/** The plan of a statement in one form for all engines. */

export interface PlanNode {
  /** The operation, such as `Hash Join`. */
  name: string;
  /** The table, index or collection of the operation. */
  target: string;
  /** Conditions, keys, methods: one sentence or pair each. */
  facts: readonly string[];
  expectedRows?: number | undefined;
  /** Only in a measured plan; the sum of all executions. */
  realRows?: number | undefined;
  /** Including its children, in the units of the engine's estimate. */
  cost?: number | undefined;
  /** Only in a measured plan: including its children, the sum of all executions. */
  ms?: number | undefined;
  /** Its own part, without its children: milliseconds in a measured plan, else cost. Undefined: the engine reports neither. */
  own?: number | undefined;
  children: readonly PlanNode[];
}

export interface Plan {
  root: PlanNode;
  /** Facts about the whole statement, such as the planning time. */
  facts: readonly string[];
  isMeasured: boolean;
}

/** The answer can't be parsed as a plan, so it is shown as rows. */
export class NoPlanError extends Error {}

/** The part of a node without its children; a LIMIT above them may end them early. */
export const ownPart = (total: number, children: readonly number[]): number =>
  Math.max(0, total - children.reduce((sum, one) => sum + one, 0));

/**
 * The estimated number of executions of a node by its parent: the second input of a nested loop runs once for each row of the first. Its estimate
 * is for one execution. The result is limited by the cost of the loop itself.
 */
export function executionsOf(loop: number, outer: { cost: number; rows: number }, innerCost: number): number {
  if (innerCost <= 0) return 1;
  return Math.max(1, Math.min(outer.rows, (loop - outer.cost) / innerCost));
}

export const nodesOf = (node: PlanNode): PlanNode[] => [node, ...node.children.flatMap(nodesOf)];

/** Shares of the whole, from 0 to 1. Empty if the engine reports neither cost nor time. */
export function sharesOf(root: PlanNode): Map<PlanNode, number> {
  const all = nodesOf(root).filter(({ own }) => own !== undefined);
  const whole = all.reduce((sum, { own = 0 }) => sum + own, 0);
  return new Map(whole > 0 ? all.map((node) => [node, (node.own ?? 0) / whole]) : []);
}

/** The most expensive node. Undefined if no share is known. */
export function heaviestOf(shares: ReadonlyMap<PlanNode, number>): PlanNode | undefined {
  return [...shares].reduce<[PlanNode | undefined, number]>(
    (most, [node, share]) => (share > most[1] ? [node, share] : most),
    [undefined, 0],
  )[0];
}

/** An estimate that is wrong by this factor often explains a wrong plan. */
const wrongBy = 10;

/**
 * The factor by which the expected rows of nodes were too low (above 1) or too high (below 1), for large errors. Below a LIMIT, fewer rows are not
 * an error, because no more were requested.
 */
export function wrongEstimates(root: PlanNode): Map<PlanNode, number> {
  const wrong = new Map<PlanNode, number>();
  const look = (node: PlanNode, isLimited: boolean) => {
    const { expectedRows, realRows, children } = node;
    const isEnded = isLimited || /limit/i.test(node.name);
    if (expectedRows !== undefined && realRows !== undefined) {
      const factor = Math.max(1, realRows) / Math.max(1, expectedRows);
      if (factor >= wrongBy || (factor <= 1 / wrongBy && !isEnded)) wrong.set(node, factor);
    }
    for (const child of children) look(child, isEnded);
  };
  look(root, false);
  return wrong;
}
