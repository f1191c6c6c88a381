/** The plan of a statement in one form for all engines. */

export interface PlanNode {
  /** What is done, such as `Hash Join`. */
  name: string;
  /** The table, index or collection that it is done with. */
  target: string;
  /** Conditions, keys, methods: a sentence or pair each. */
  facts: readonly string[];
  expectedRows?: number | undefined;
  /** Only of a measured plan; of all its executions together. */
  realRows?: number | undefined;
  /** With its children, in the units of the engine's estimate. */
  cost?: number | undefined;
  /** Only of a measured plan: with its children, of all its executions together. */
  ms?: number | undefined;
  /** What it takes itself, without its children: milliseconds of a measured plan, else cost. Undefined: the engine says neither. */
  own?: number | undefined;
  children: readonly PlanNode[];
}

export interface Plan {
  root: PlanNode;
  /** Of the whole statement, such as the time of planning. */
  facts: readonly string[];
  isMeasured: boolean;
}

/** The answer can't be read as a plan: it is shown as rows. */
export class NoPlanError extends Error {}

/** What is left of a node without its children; a LIMIT above them may end them early. */
export const ownPart = (total: number, children: readonly number[]): number =>
  Math.max(0, total - children.reduce((sum, one) => sum + one, 0));

/**
 * How often a node is executed for its parent by the estimate: the second input of a nested loop once for each row of the first. Its estimate is of one
 * execution, and no more than what the loop takes can be meant.
 */
export function executionsOf(loop: number, outer: { cost: number; rows: number }, innerCost: number): number {
  if (innerCost <= 0) return 1;
  return Math.max(1, Math.min(outer.rows, (loop - outer.cost) / innerCost));
}

export const nodesOf = (node: PlanNode): PlanNode[] => [node, ...node.children.flatMap(nodesOf)];

/** Shares of the whole, from 0 to 1. Empty if the engine says neither cost nor time. */
export function sharesOf(root: PlanNode): Map<PlanNode, number> {
  const all = nodesOf(root).filter(({ own }) => own !== undefined);
  const whole = all.reduce((sum, { own = 0 }) => sum + own, 0);
  return new Map(whole > 0 ? all.map((node) => [node, (node.own ?? 0) / whole]) : []);
}

/** The node that takes most. Undefined if no share is known. */
export function heaviestOf(shares: ReadonlyMap<PlanNode, number>): PlanNode | undefined {
  return [...shares].reduce<[PlanNode | undefined, number]>(
    (most, [node, share]) => (share > most[1] ? [node, share] : most),
    [undefined, 0],
  )[0];
}

/** An estimate that is wrong by this factor often explains a wrong plan. */
const wrongBy = 10;

/**
 * How many times too low (above 1) or too high (below 1) the expected rows of nodes were, where they were far off. Below a LIMIT fewer rows are no
 * mistake: nobody asked for more.
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
