/** Parses ClickHouse's plans: `EXPLAIN json = 1`, without costs, and `EXPLAIN ANALYZE` (since 26), a drawn tree with the own time of each node. */
import { NoPlanError, nodesOf, type Plan, type PlanNode } from './plan.ts';

interface Node extends Record<string, unknown> {
  Plans?: Node[];
  Indexes?: Record<string, unknown>[];
}

/** @throws NoPlanError */
export function clickhousePlan(rows: readonly Record<string, unknown>[]): Plan {
  const lines = rows.map(({ explain }) => String(explain ?? ''));
  const text = lines.join('\n');
  return text.trimStart().startsWith('[') ? expected(text) : measured(lines);
}

function expected(text: string): Plan {
  try {
    const [{ Plan: root }] = JSON.parse(text);
    return { root: nodeOf(root), facts: [], isMeasured: false };
  } catch {
    throw new NoPlanError();
  }
}

function nodeOf(node: Node): PlanNode {
  const about = String(node.Description ?? '');
  const isRead = /^ReadFrom/.test(String(node['Node Type']));
  return {
    name: String(node['Node Type']),
    target: isRead ? about : '',
    facts: [
      ...(isRead || about === '' ? [] : [withoutBrackets(about)]),
      ...(node.Indexes ?? []).map(indexFact),
    ],
    children: (node.Plans ?? []).map(nodeOf),
  };
}

const withoutBrackets = (text: string) => text.replace(/^\((.*)\)$/s, '$1');

/** How much data an index leaves to be read: usually the reason for looking at a plan of ClickHouse. */
function indexFact(index: Record<string, unknown>): string {
  const { Type: type, Name: name, Keys: keys, Condition: condition } = index;
  const selected = `${index['Selected Granules']} of ${index['Initial Granules']} granules`;
  const about = [type, name, Array.isArray(keys) ? keys.join(', ') : undefined].filter(Boolean).join(' ');
  return `${about}: ${selected}${condition === undefined || condition === 'true' ? '' : `, ${condition}`}`;
}

const drawing = /^[│├└─\s]*/;
const time = /time ([\d.]+) (ns|us|µs|ms|s|m)\b/;
const unitMs: Record<string, number> = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1000, m: 60_000 };
const rowsOf = /^I\/O: rows .*?→ ([\d.]+)( thousand| million| billion)?/;
const unitRows: Record<string, number> = { ' thousand': 1e3, ' million': 1e6, ' billion': 1e9 };
const summaryNames = /^(Time|Read|Peak memory):/;

interface Drawn {
  depth: number;
  node: PlanNode & { facts: string[]; children: PlanNode[] };
}

function measured(lines: readonly string[]): Plan {
  const start = lines.findIndex(
    (line, at) => /^\w+( \(.*\))?$/.test(line) && /^[│└├]/.test(lines[at + 1] ?? ''),
  );
  if (start < 0) throw new NoPlanError();
  const path: Drawn[] = [];
  let root: PlanNode | undefined;
  for (const line of lines.slice(start)) {
    const text = line.replace(drawing, '');
    const isNode = root === undefined || /^[│\s]*[├└]──/.test(line);
    if (text === '') continue;
    if (!isNode) {
      note(path.at(-1)?.node, text);
      continue;
    }
    const depth = line.length - text.length;
    while ((path.at(-1)?.depth ?? -1) >= depth) path.pop();
    const [, name = text, about = ''] = /^(\S+) \((.*)\)$/.exec(text) ?? [];
    const isRead = /^ReadFrom/.test(name);
    const node = {
      name,
      target: isRead ? about : '',
      facts: isRead || !about ? [] : [withoutBrackets(about)],
      own: 0,
      children: [],
    };
    path.at(-1)?.node.children.push(node);
    path.push({ depth, node });
    root ??= node;
  }
  if (!root) throw new NoPlanError();
  for (const node of nodesOf(root).reverse())
    node.ms = (node.own ?? 0) + node.children.reduce((sum, { ms = 0 }) => sum + ms, 0);
  const facts = lines.slice(0, start).map((line) => line.trim());
  return { root, facts: facts.filter((line) => summaryNames.test(line)), isMeasured: true };
}

function note(node: Drawn['node'] | undefined, text: string): void {
  if (!node) return;
  const [, amount, unit = ''] = time.exec(text) ?? [];
  const [, rows, times = ''] = rowsOf.exec(text) ?? [];
  if (amount !== undefined) node.own = (node.own ?? 0) + Number(amount) * (unitMs[unit] ?? 0);
  else if (rows !== undefined) node.realRows = Number(rows) * (unitRows[times] ?? 1);
  else node.facts.push(text);
}
