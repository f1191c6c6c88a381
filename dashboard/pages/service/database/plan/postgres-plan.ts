/** Parses the answer of PostgreSQL's `EXPLAIN (FORMAT JSON)`. */
import { executionsOf, NoPlanError, ownPart, type Plan, type PlanNode } from './plan.ts';

interface Node extends Record<string, unknown> {
  Plans?: Node[];
}

/** Shown unchanged, in this order. */
const factNames = [
  ...['Subplan Name', 'Join Type', 'Hash Cond', 'Merge Cond', 'Join Filter', 'Index Cond', 'Recheck Cond'],
  ...['Filter', 'One-Time Filter', 'Sort Key', 'Presorted Key', 'Group Key', 'Cache Key', 'Sort Method'],
  ...['Rows Removed by Filter', 'Rows Removed by Join Filter', 'Heap Fetches', 'Workers Launched'],
  ...['Hash Batches', 'Chunks excluded during startup', 'Conflict Resolution'],
];

/** @throws NoPlanError */
export function postgresPlan(rows: readonly Record<string, unknown>[]): Plan {
  const answer = parsed(rows[0]?.['QUERY PLAN']);
  const [first] = Array.isArray(answer) ? answer : [];
  if (typeof first?.Plan !== 'object') throw new NoPlanError();
  const { 'Planning Time': planning, 'Execution Time': execution, Triggers: triggers = [] } = first;
  const isMeasured = execution !== undefined;
  return {
    root: nodeOf(first.Plan, 1),
    facts: [
      ...(planning === undefined ? [] : [`Planning ${planning} ms`]),
      ...(isMeasured ? [`Execution ${execution} ms`] : []),
      ...triggers.map(
        (one: Node) => `Trigger ${one['Trigger Name']} ${one.Time ?? '?'} ms, ${one.Calls} calls`,
      ),
    ],
    isMeasured,
  };
}

function parsed(value: unknown): ReturnType<typeof JSON.parse> {
  try {
    return typeof value === 'string' ? JSON.parse(value) : value;
  } catch {
    throw new NoPlanError();
  }
}

/** @param executions the number of executions to which the estimate applies */
function nodeOf(node: Node, executions: number): PlanNode {
  const cost = Number(node['Total Cost'] ?? 0) * executions;
  const children = childrenOf(node, executions);
  const loops = Number(node['Actual Loops'] ?? 0);
  const ms = node['Actual Loops'] === undefined ? undefined : Number(node['Actual Total Time'] ?? 0) * loops;
  const parts = children.map((child) => (ms === undefined ? child.cost : child.ms) ?? 0);
  return {
    name: nameOf(node),
    target: targetOf(node),
    facts: factsOf(node, loops),
    expectedRows: Number(node['Plan Rows']) * Math.max(1, loops),
    realRows: ms === undefined ? undefined : Math.round(Number(node['Actual Rows']) * loops),
    cost,
    ms,
    own: ownPart(ms ?? cost, parts),
    children,
  };
}

function childrenOf(node: Node, executions: number): PlanNode[] {
  const all = node.Plans ?? [];
  const outer = all.find((one) => one['Parent Relationship'] === 'Outer');
  return all.map((child) => {
    const isRepeated =
      node['Node Type'] === 'Nested Loop' && outer && child['Parent Relationship'] === 'Inner';
    if (!isRepeated) return nodeOf(child, executions);
    const first = { cost: Number(outer['Total Cost']), rows: Number(outer['Plan Rows']) };
    const times = executionsOf(Number(node['Total Cost']), first, Number(child['Total Cost']));
    return nodeOf(child, executions * times);
  });
}

function nameOf(node: Node): string {
  const name = String(node['Node Type']);
  const strategy = name === 'Aggregate' && node.Strategy !== 'Plain' ? `${node.Strategy} ` : '';
  const change = name === 'ModifyTable' ? String(node.Operation) : '';
  return `${node['Parallel Aware'] === true ? 'Parallel ' : ''}${strategy}${change || name}`;
}

function targetOf(node: Node): string {
  const table = node['Relation Name'] ?? node['CTE Name'] ?? node['Function Name'];
  const alias = node.Alias !== undefined && node.Alias !== table ? ` ${node.Alias}` : '';
  const index = node['Index Name'] === undefined ? '' : ` · ${node['Index Name']}`;
  return `${table ?? ''}${table === undefined ? '' : alias}${index}`.replace(/^ · /, '');
}

function factsOf(node: Node, loops: number): string[] {
  const told = factNames
    .filter((name) => node[name] !== undefined && node[name] !== 0)
    .filter((name) => name !== 'Join Type' || node[name] !== 'Inner')
    .filter((name) => name !== 'Hash Batches' || Number(node[name]) > 1)
    .map((name) => `${name}: ${[node[name]].flat().join(', ')}`);
  const read = Number(node['Shared Read Blocks'] ?? 0);
  const hit = Number(node['Shared Hit Blocks'] ?? 0);
  const spilled = Number(node['Temp Written Blocks'] ?? 0);
  return [
    ...told,
    ...(node['Sort Space Type'] === 'Disk' ? [`On disk: ${node['Sort Space Used']} kB`] : []),
    ...(loops > 1 ? [`Loops: ${loops}`] : []),
    ...(loops === 0 && node['Actual Loops'] !== undefined ? ['Never executed'] : []),
    ...(read + hit > 0 ? [`Blocks: ${hit} from memory, ${read} from disk`] : []),
    ...(spilled > 0 ? [`Temporary blocks written: ${spilled}`] : []),
  ];
}
