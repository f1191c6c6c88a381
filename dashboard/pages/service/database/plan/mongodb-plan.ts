/** Parses the answer of MongoDB's `explain`, of the classic and the slot-based engine, for finds and for pipelines. */
import { NoPlanError, nodesOf, ownPart, type Plan, type PlanNode } from './plan.ts';

interface Json extends Record<string, unknown> {
  inputStage?: Json;
  inputStages?: Json[];
}

const shownFields = [
  'filter',
  'keyPattern',
  'indexBounds',
  'sortPattern',
  'memLimit',
  'limitAmount',
  'skipAmount',
];
const countFields = ['totalDocsExamined', 'totalKeysExamined', 'docsExamined', 'keysExamined'];

/** @throws NoPlanError */
export function mongodbPlan(rows: readonly Record<string, unknown>[]): Plan {
  const [answer] = rows as readonly Json[];
  const stages = answer?.stages;
  const root = Array.isArray(stages) ? pipeline(stages) : answer && cursor(answer);
  if (!root) throw new NoPlanError();
  const stats = answer?.executionStats as Json | undefined;
  const facts = stats ? countsOf(stats) : [];
  if (stats?.executionTimeMillis !== undefined)
    facts.unshift(`Execution ${plain(stats.executionTimeMillis)} ms`);
  return { root, facts, isMeasured: nodesOf(root).some(({ ms }) => ms !== undefined) };
}

/** Each stage of a pipeline gets the output of the stage before it; the last one is the root. */
function pipeline(stages: readonly Json[]): PlanNode | undefined {
  return stages.reduce<PlanNode | undefined>((input, stage) => {
    const [name = ''] = Object.keys(stage).filter((key) => key.startsWith('$'));
    const inside = stage[name] as Json;
    if (name === '$cursor' || name === '$geoNearCursor') return cursor(inside);
    const ms = numberOf(stage.executionTimeMillisEstimate);
    return {
      name,
      target: '',
      facts: [textOf(inside), ...countsOf(stage)],
      realRows: numberOf(stage.nReturned),
      ms,
      own: ms === undefined ? undefined : ownPart(ms, [input?.ms ?? 0]),
      children: input ? [input] : [],
    };
  }, undefined);
}

function cursor({ queryPlanner, executionStats }: Json): PlanNode | undefined {
  const planned = (queryPlanner as Json | undefined)?.winningPlan as Json | undefined;
  const executed = (executionStats as Json | undefined)?.executionStages as Json | undefined;
  const target = String((queryPlanner as Json | undefined)?.namespace ?? '').replace(/^[^.]*\./, '');
  // The stages that the slot-based engine executes have other names; the stages of its plan have the known ones.
  const stage = executed?.stage !== undefined && planned?.queryPlan === undefined ? executed : planned;
  const root = (stage?.queryPlan as Json | undefined) ?? stage;
  if (typeof root?.stage !== 'string') return undefined;
  const node = nodeOf(root, target);
  if (stage === executed || !executionStats) return node;
  const { nReturned, executionTimeMillis } = executionStats as Json;
  return { ...node, realRows: numberOf(nReturned), ms: numberOf(executionTimeMillis) };
}

function nodeOf(stage: Json, target: string): PlanNode {
  const below = [...(stage.inputStage ? [stage.inputStage] : []), ...(stage.inputStages ?? [])];
  const children = below.map((one) => nodeOf(one, target));
  const ms = numberOf(stage.executionTimeMillisEstimate);
  const parts = children.map((child) => child.ms ?? 0);
  return {
    name: String(stage.stage),
    target:
      stage.indexName === undefined ? (children.length > 0 ? '' : target) : `${target} · ${stage.indexName}`,
    facts: [
      ...shownFields
        .filter((name) => stage[name] !== undefined)
        .map((name) => `${name}: ${textOf(stage[name])}`),
      ...countsOf(stage),
    ],
    realRows: numberOf(stage.nReturned),
    ms,
    own: ms === undefined ? undefined : ownPart(ms, parts),
    children,
  };
}

/** Examined keys and documents show what an index would save. */
const countsOf = (stage: Json): string[] =>
  countFields.filter((name) => stage[name] !== undefined).map((name) => `${name}: ${plain(stage[name])}`);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Numbers in the answer may be in Extended JSON. */
function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.values(value)[0];
}

const numberOf = (value: unknown): number | undefined =>
  value === undefined ? undefined : Number(plain(value));
