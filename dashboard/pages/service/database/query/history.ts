/** The statements that were run in this browser. They are removed with the session. */
import { createSignal } from 'solid-js';
import { keptPrefix } from '../../../../api/session.ts';

const keptMax = 50;
/** A longer statement is run but not stored. */
const keptCharactersMax = 10_000;

export function createHistory(serviceId: string) {
  const key = `${keptPrefix}statements-${serviceId}`;
  const [statements, setStatements] = createSignal<readonly string[]>(read(key));
  const keep = (all: readonly string[]) => {
    localStorage.setItem(key, JSON.stringify(all));
    setStatements(all);
  };
  return {
    /** Newest first. */
    statements,
    add(statement: string) {
      if (statement.length > keptCharactersMax) return;
      keep([statement, ...statements().filter((one) => one !== statement)].slice(0, keptMax));
    },
    clear: () => keep([]),
  };
}

function read(key: string): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(stored) ? stored.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}
