/** Differences between two reads of a key's services, and the events that report them (api/changes). */
export interface ChangeMark {
  projectId: string;
  /** `null` if the project has no services. */
  serviceId: string | null;
  /** Changes whenever something of the service changes. */
  mark: string;
}

export interface Changed {
  projectIds: string[];
  serviceIds: string[];
}

/** Marks by service, or by project for a project without services. */
export type Marks = ReadonlyMap<string, ChangeMark>;

export const marksOf = (rows: readonly ChangeMark[]): Marks =>
  new Map(rows.map((row) => [row.serviceId ?? row.projectId, row]));

/** @returns undefined without a difference. Added and removed services and projects are included. */
export function changedBetween(before: Marks, now: Marks): Changed | undefined {
  const differing = [...now]
    .filter(([id, { mark }]) => before.get(id)?.mark !== mark)
    .map(([, row]) => row)
    .concat([...before].filter(([id]) => !now.has(id)).map(([, row]) => row));
  return differing.length > 0 ? namesOf(differing) : undefined;
}

/** All services and projects, for a client whose last read is too old to be compared. */
export const everything = (now: Marks): Changed => namesOf([...now.values()]);

function namesOf(rows: readonly ChangeMark[]): Changed {
  return {
    projectIds: [...new Set(rows.map(({ projectId }) => projectId))],
    serviceIds: rows.flatMap(({ serviceId }) => serviceId ?? []),
  };
}

/** The event that reports whether something changed since the place `id`, and what. */
export const changeEvent = (name: 'current' | 'changed', id: string, changed: Changed): string =>
  `event: ${name}\nid: ${id}\ndata: ${JSON.stringify(changed)}\n\n`;
