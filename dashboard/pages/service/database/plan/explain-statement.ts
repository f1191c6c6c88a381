/**
 * Builds the statement that requests a plan, and parses its answer. It is sent by the usual route for statements, so all API clients can do the same.
 */
import type { Engine } from '../table-types.ts';
import { exactJson } from '../values.ts';
import { clickhousePlan } from './clickhouse-plan.ts';
import { mongodbPlan } from './mongodb-plan.ts';
import { mysqlPlan } from './mysql-plan.ts';
import type { Plan } from './plan.ts';
import { postgresPlan } from './postgres-plan.ts';

type Rows = readonly Record<string, unknown>[];

interface Explainer {
  /** @param isMeasured executes the statement, with all its effects */
  statement(text: string, isMeasured: boolean): string;
  /** @throws NoPlanError */
  read(rows: Rows): Plan;
}

const postgres: Explainer = {
  statement: (text, isMeasured) => `explain (${isMeasured ? 'analyze, buffers, ' : ''}format json)\n${text}`,
  read: postgresPlan,
};

const explainers: Partial<Record<string, Explainer>> = {
  postgres,
  timescale: postgres,
  mysql: {
    statement: (text, isMeasured) => `explain ${isMeasured ? 'analyze ' : ''}format=tree\n${text}`,
    read: mysqlPlan,
  },
  clickhouse: {
    statement: (text, isMeasured) => `explain ${isMeasured ? 'analyze' : 'json = 1, indexes = 1'}\n${text}`,
    read: clickhousePlan,
  },
  mongodb: { statement: explainCommand, read: mongodbPlan },
};

export const canExplain = (engine: Engine | string | null): boolean => explainers[engine ?? ''] !== undefined;

const begins = /^(?:\s|--[^\n]*\n|\/\*.*?\*\/)*explain\b/is;

/**
 * Returns the statement unchanged if it already requests a plan.
 * @throws RangeError with a sentence: the command of MongoDB is not JSON
 */
export function explainStatement(engine: string, text: string, isMeasured: boolean): string {
  if (begins.test(text)) return text;
  return explainers[engine]?.statement(text, isMeasured) ?? text;
}

/** @throws NoPlanError */
export function planOf(engine: string, rows: Rows): Plan | undefined {
  return explainers[engine]?.read(rows);
}

/** The database stays next to the command, and a pipeline needs a `cursor`. */
function explainCommand(text: string, isMeasured: boolean): string {
  const { $db, ...command } = exactJson(text) as Record<string, unknown>;
  if ('explain' in command) return text;
  return JSON.stringify({
    explain: 'aggregate' in command ? { ...command, cursor: command.cursor ?? {} } : command,
    verbosity: isMeasured ? 'executionStats' : 'queryPlanner',
    ...($db === undefined ? {} : { $db }),
  });
}
