/** What is different between two looks at the services of a key, and the events that tell it (api/changes). */
export interface ChangeMark {
  projectId: string;
  /** Null: the project has no services. */
  serviceId: string | null;
  /** Differs once something of the service is different. */
  mark: string;
}

export interface Changed {
  projectIds: string[];
  serviceIds: string[];
}

/** By service, or by project for one without services. */
export type Marks = ReadonlyMap<string, ChangeMark>;

export const marksOf = (rows: readonly ChangeMark[]): Marks =>
  new Map(rows.map((row) => [row.serviceId ?? row.projectId, row]));

/** @returns undefined if nothing is different. A service or project that came or went is named as well. */
export function changedBetween(before: Marks, now: Marks): Changed | undefined {
  const differing = [...now]
    .filter(([id, { mark }]) => before.get(id)?.mark !== mark)
    .map(([, row]) => row)
    .concat([...before].filter(([id]) => !now.has(id)).map(([, row]) => row));
  return differing.length > 0 ? namesOf(differing) : undefined;
}

/** All of them: for a client whose last look is too long ago to say what is different. */
export const everything = (now: Marks): Changed => namesOf([...now.values()]);

function namesOf(rows: readonly ChangeMark[]): Changed {
  return {
    projectIds: [...new Set(rows.map(({ projectId }) => projectId))],
    serviceIds: rows.flatMap(({ serviceId }) => serviceId ?? []),
  };
}

/** Whether something is different since the place `id`, and what. */
export const changeEvent = (name: 'current' | 'changed', id: string, changed: Changed): string =>
  `event: ${name}\nid: ${id}\ndata: ${JSON.stringify(changed)}\n\n`;
