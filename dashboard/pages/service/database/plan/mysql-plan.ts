/**
 * Parses the answer of MySQL's `EXPLAIN FORMAT=TREE`: a line for each node, indented by its depth. The format is the same in all versions since
 * 8.0.18.
 */
import { executionsOf, NoPlanError, ownPart, type Plan, type PlanNode } from './plan.ts';

interface Line {
  depth: number;
  text: string;
}

interface Read {
  text: string;
  cost: number | undefined;
  expectedRows: number | undefined;
  /** Time of one execution. */
  ms: number | undefined;
  realRows: number | undefined;
  loops: number;
  isNever: boolean;
  children: Read[];
}

const lineStart = /^( *)-> /;
const estimate = /\s*\(cost=(?:[\d.e+-]+?\.\.)?([\d.e+]+) rows=([\d.e+]+)\)/;
const measured = /\s*\(actual time=(?:[\d.e+-]+?\.\.)?([\d.e+-]+) rows=([\d.e+]+) loops=(\d+)\)/;
const never = /\s*\(never executed\)/;

/** @throws NoPlanError */
export function mysqlPlan(rows: readonly Record<string, unknown>[]): Plan {
  const lines = linesOf(String(rows[0]?.EXPLAIN ?? ''));
  // The answer for statements without such a plan, such as an UPDATE of one table.
  if (lines.length === 0 || /^<not executable/.test(lines[0]?.text ?? '')) throw new NoPlanError();
  const [root] = nested(lines, 0, lines.length);
  if (!root) throw new NoPlanError();
  return { root: nodeOf(root, 1), facts: [], isMeasured: root.ms !== undefined || root.isNever };
}

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  for (const line of text.split('\n')) {
    const [start, blanks] = lineStart.exec(line) ?? [];
    const last = lines.at(-1);
    if (start !== undefined) lines.push({ depth: blanks?.length ?? 0, text: line.slice(start.length) });
    // A condition may contain a text of several lines.
    else if (last && line.trim() !== '') last.text += `\n${line}`;
  }
  return lines;
}

function nested(lines: readonly Line[], from: number, to: number): Read[] {
  const found: Read[] = [];
  for (let at = from; at < to; ) {
    const line = lines[at] as Line;
    let end = at + 1;
    while (end < to && (lines[end] as Line).depth > line.depth) end += 1;
    found.push({ ...readLine(line.text), children: nested(lines, at + 1, end) });
    at = end;
  }
  return found;
}

function readLine(line: string): Omit<Read, 'children'> {
  const [, cost, expectedRows] = estimate.exec(line) ?? [];
  const [, ms, realRows, loops] = measured.exec(line) ?? [];
  return {
    text: line.replace(measured, '').replace(estimate, '').replace(never, '').trim(),
    cost: cost === undefined ? undefined : Number(cost),
    expectedRows: expectedRows === undefined ? undefined : Number(expectedRows),
    ms: ms === undefined ? undefined : Number(ms),
    realRows: realRows === undefined ? undefined : Number(realRows),
    loops: Number(loops ?? 1),
    isNever: never.test(line),
  };
}

/** @param executions the number of executions to which the estimate applies */
function nodeOf(read: Read, executions: number): PlanNode {
  const [outer] = read.children;
  const isLoop = /^Nested loop/i.test(read.text) && outer?.cost !== undefined && read.cost !== undefined;
  const children = read.children.map((child, at) => {
    if (!isLoop || at === 0) return nodeOf(child, executions);
    const first = { cost: outer?.cost ?? 0, rows: outer?.expectedRows ?? 1 };
    return nodeOf(child, executions * executionsOf(read.cost ?? 0, first, child.cost ?? 0));
  });
  const ms = read.ms === undefined ? undefined : read.ms * read.loops;
  const cost = read.cost === undefined ? undefined : read.cost * executions;
  // A node without an estimate, such as a sort, gets the estimates of its children.
  const total = ms ?? cost;
  const parts = children.map((child) => totalOf(child, ms === undefined ? 'cost' : 'ms'));
  const [name = '', ...rest] = read.text.split(/: (.*)/s);
  const { name: verb, target } = named(name);
  return {
    name: verb,
    target,
    facts: [
      ...rest.filter((one) => one !== ''),
      ...(read.loops > 1 ? [`Loops: ${read.loops}`] : []),
      ...(read.isNever ? ['Never executed'] : []),
    ],
    expectedRows: read.expectedRows === undefined ? undefined : read.expectedRows * read.loops,
    realRows: read.realRows === undefined ? undefined : Math.round(read.realRows * read.loops),
    ...{ cost, ms, children },
    own: total === undefined ? undefined : ownPart(total, parts),
  };
}

/** The total with its children; for a node without an estimate, the total of its children. */
function totalOf(node: PlanNode, unit: 'cost' | 'ms'): number {
  return node[unit] ?? node.children.reduce((sum, child) => sum + totalOf(child, unit), 0);
}

/** Splits `Index lookup on c using PRIMARY (id = o.customer)` into the operation and its target. */
function named(text: string): { name: string; target: string } {
  const [, name, target] = /^(.*?) on (.+)$/s.exec(text) ?? [];
  return name === undefined ? { name: text, target: '' } : { name, target: target ?? '' };
}
