/** Plans of statements: what real databases answered (test/fixtures/plans), and the forms that MongoDB documents. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { explainStatement, planOf } from '../../dashboard/pages/service/database/plan/explain-statement.ts';
import {
  heaviestOf,
  NoPlanError,
  nodesOf,
  type PlanNode,
  sharesOf,
  wrongEstimates,
} from '../../dashboard/pages/service/database/plan/plan.ts';

const answer = async (name: string) =>
  JSON.parse(await readFile(new URL(`../fixtures/plans/${name}.json`, import.meta.url), 'utf8'));
const read = async (engine: string, name = engine) => planOf(engine, await answer(name));
const title = ({ name, target }: PlanNode) => `${name} ${target}`.trim();
const outline = (node: PlanNode): unknown => [title(node), ...node.children.map(outline)];

test('a plan of PostgreSQL keeps its tree, and most of the cost is where no child has it', async () => {
  const plan = await read('postgres');
  expect(plan?.isMeasured).toBe(false);
  expect(outline(plan?.root as PlanNode)).toEqual([
    'Limit',
    [
      'Sort',
      [
        'Hashed Aggregate',
        ['Hash Join', ['Seq Scan orders o'], ['Hash', ['Index Scan customers c · customers_pkey']]],
      ],
    ],
  ]);
  const shares = sharesOf(plan?.root as PlanNode);
  expect(title(heaviestOf(shares) as PlanNode)).toBe('Seq Scan orders o');
  expect([...shares.values()].reduce((sum, one) => sum + one, 0)).toBeCloseTo(1);
});

test('a measured plan of PostgreSQL has real rows, times and blocks', async () => {
  const plan = await read('postgres', 'postgres-measured');
  expect(plan?.isMeasured).toBe(true);
  expect(plan?.facts.some((fact) => /^Execution [\d.]+ ms$/.test(fact))).toBe(true);
  const scan = nodesOf(plan?.root as PlanNode).find(({ name }) => name === 'Seq Scan');
  expect(scan).toMatchObject({ realRows: 20_000, expectedRows: 20_000 });
  expect(scan?.facts.some((fact) => /^Blocks: \d+ from memory, \d+ from disk$/.test(fact))).toBe(true);
});

test('time is counted for all executions of a node, and a wrong estimate is found', () => {
  const scan = { 'Node Type': 'Index Scan', 'Relation Name': 'items', 'Parent Relationship': 'Inner' };
  const plan = planOf('postgres', [
    {
      'QUERY PLAN': [
        {
          Plan: {
            ...{ 'Node Type': 'Nested Loop', 'Total Cost': 100, 'Plan Rows': 5 },
            ...{ 'Actual Loops': 1, 'Actual Total Time': 250, 'Actual Rows': 5000 },
            Plans: [
              {
                ...{
                  'Node Type': 'Seq Scan',
                  'Parent Relationship': 'Outer',
                  'Total Cost': 20,
                  'Plan Rows': 10,
                },
                ...{ 'Actual Loops': 1, 'Actual Total Time': 10, 'Actual Rows': 1000 },
              },
              {
                ...{ ...scan, 'Total Cost': 8, 'Plan Rows': 1 },
                ...{ 'Actual Loops': 1000, 'Actual Total Time': 0.2, 'Actual Rows': 5 },
              },
            ],
          },
          'Execution Time': 251,
        },
      ],
    },
  ]);
  const root = plan?.root as PlanNode;
  const shares = sharesOf(root);
  expect(title(heaviestOf(shares) as PlanNode)).toBe('Index Scan items');
  expect(shares.get(root.children[1] as PlanNode)).toBeCloseTo(200 / 250);
  expect(root.children[1]).toMatchObject({ ms: 200, realRows: 5000, expectedRows: 1000 });
  expect([...wrongEstimates(root)].map(([node, factor]) => [node.name, factor])).toEqual([
    ['Nested Loop', 1000],
    ['Seq Scan', 100],
  ]);
});

test('fewer rows below a limit are no wrong estimate', async () => {
  const plan = await read('postgres', 'postgres-measured');
  expect([...wrongEstimates(plan?.root as PlanNode)]).toEqual([]);
});

test('a plan of MySQL is read from its lines, measured or not', async () => {
  const plan = await read('mysql');
  const nodes = nodesOf(plan?.root as PlanNode);
  expect(nodes.map(({ name }) => name)).toEqual([
    'Limit',
    'Sort',
    'Table scan',
    'Aggregate using temporary table',
    'Nested loop inner join',
    'Filter',
    'Table scan',
    'Single-row index lookup',
  ]);
  expect(nodes.at(-1)).toMatchObject({ target: 'c using PRIMARY (id = o.customer)', expectedRows: 1 });
  const measured = await read('mysql', 'mysql-measured');
  expect(measured?.isMeasured).toBe(true);
  const lookup = nodesOf(measured?.root as PlanNode).at(-1);
  expect(lookup).toMatchObject({ realRows: 99, facts: ['Loops: 99'] });
  const own = nodesOf(measured?.root as PlanNode).map((node) => node.own ?? 0);
  expect(own.every((ms) => ms >= 0)).toBe(true);
});

test('a condition of several lines stays one node of MySQL', () => {
  const lines =
    "-> Filter: (t.a = 'x\n-> y')  (cost=1 rows=2)\n    -> Table scan on t  (cost=1..1.5 rows=1e+6)\n";
  const plan = planOf('mysql', [{ EXPLAIN: lines.replace('\n-> y', '\n y') }]);
  expect(plan?.root).toMatchObject({ name: 'Filter', facts: ["(t.a = 'x\n y')"], cost: 1 });
  expect(plan?.root.children[0]).toMatchObject({ target: 't', cost: 1.5, expectedRows: 1_000_000 });
});

test('plans of ClickHouse tell what an index leaves, and the time of each node itself', async () => {
  const plan = await read('clickhouse');
  const reads = nodesOf(plan?.root as PlanNode).filter(({ name }) => name === 'ReadFromMergeTree');
  expect(reads.map(({ target }) => target)).toEqual(['app.customers', 'app.orders']);
  expect(reads[0]?.facts).toEqual(['PrimaryKey id: 1 of 1 granules, (id in (-Inf, 99])']);
  expect(sharesOf(plan?.root as PlanNode).size).toBe(0);
  const measured = await read('clickhouse', 'clickhouse-measured');
  const root = measured?.root as PlanNode;
  expect(outline(root)).toEqual(outline(plan?.root as PlanNode));
  expect(measured?.facts.map((fact) => fact.split(':')[0])).toEqual(['Time', 'Read', 'Peak memory']);
  expect(root).toMatchObject({ realRows: 3 });
  expect(heaviestOf(sharesOf(root))?.name).toBe('ReadFromMergeTree');
});

const winningPlan = {
  stage: 'SORT',
  sortPattern: { name: 1 },
  inputStage: { stage: 'FETCH', inputStage: { stage: 'IXSCAN', indexName: 'n_1', keyPattern: { n: 1 } } },
};
const queryPlanner = { namespace: 'app.customers', winningPlan };

test('plans of MongoDB are read of finds, of executed ones and of pipelines', () => {
  expect(outline(planOf('mongodb', [{ queryPlanner }])?.root as PlanNode)).toEqual([
    'SORT',
    ['FETCH', ['IXSCAN customers · n_1']],
  ]);
  const executionStages = {
    ...{ stage: 'SORT', nReturned: 57, executionTimeMillisEstimate: 9 },
    inputStage: { stage: 'COLLSCAN', nReturned: 57, executionTimeMillisEstimate: 7, docsExamined: '399' },
  };
  const executionStats = { nReturned: 57, executionTimeMillis: 10, totalDocsExamined: 399, executionStages };
  const find = planOf('mongodb', [{ queryPlanner, executionStats }]);
  expect(find).toMatchObject({ isMeasured: true, facts: ['Execution 10 ms', 'totalDocsExamined: 399'] });
  expect(title(heaviestOf(sharesOf(find?.root as PlanNode)) as PlanNode)).toBe('COLLSCAN customers');
  const slots = { namespace: 'app.customers', winningPlan: { queryPlan: winningPlan, slotBasedPlan: {} } };
  expect(planOf('mongodb', [{ queryPlanner: slots }])?.root.name).toBe('SORT');
  const stages = [
    { $cursor: { queryPlanner } },
    { $lookup: { from: 'orders' }, nReturned: { $numberLong: '5' }, executionTimeMillisEstimate: 3 },
    { $group: { _id: '$n' } },
  ];
  const pipeline = planOf('mongodb', [{ stages }])?.root as PlanNode;
  expect(nodesOf(pipeline).map(({ name }) => name)).toEqual(['$group', '$lookup', 'SORT', 'FETCH', 'IXSCAN']);
  expect(pipeline.children[0]).toMatchObject({ realRows: 5, own: 3 });
});

test('an answer that is no plan says so', async () => {
  expect(() => planOf('postgres', [{ 'QUERY PLAN': 'Seq Scan on t' }])).toThrow(NoPlanError);
  expect(() => planOf('postgres', [])).toThrow(NoPlanError);
  const update = await answer('mysql-update');
  expect(() => planOf('mysql', update)).toThrow(NoPlanError);
  expect(() => planOf('clickhouse', [{ explain: 'x' }])).toThrow(NoPlanError);
  expect(() => planOf('mongodb', [{ ok: 1 }])).toThrow(NoPlanError);
});

test.each([
  ['postgres', 'select 1', false, 'explain (format json)\nselect 1'],
  ['timescale', 'select 1', true, 'explain (analyze, buffers, format json)\nselect 1'],
  ['postgres', '-- why\n/* slow */ Explain select 1', true, '-- why\n/* slow */ Explain select 1'],
  ['postgres', '-- explain\nselect 1', false, 'explain (format json)\n-- explain\nselect 1'],
  ['mysql', 'select 1', true, 'explain analyze format=tree\nselect 1'],
  ['clickhouse', 'select 1', false, 'explain json = 1, indexes = 1\nselect 1'],
  [
    'mongodb',
    '{"aggregate": "t", "pipeline": [], "$db": "shop"}',
    true,
    '{"explain":{"aggregate":"t","pipeline":[],"cursor":{}},"verbosity":"executionStats","$db":"shop"}',
  ],
])('the statement for the plan of %s: %s, measured %s', (engine, text, isMeasured, sent) => {
  expect(explainStatement(engine, text, isMeasured)).toBe(sent);
});

test('a command of MongoDB that would lose digits is not sent', () => {
  expect(() =>
    explainStatement('mongodb', '{"find": "t", "filter": {"n": 9007199254740993}}', false),
  ).toThrow(/would be rounded/);
});
