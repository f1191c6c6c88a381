/** A line of a log, and the kinds of lines that can be shown. */

export interface Line {
  id: number;
  line: string;
  stream: 'stdout' | 'stderr' | 'system' | 'access';
  createdAt: string;
  /** Number of the container that printed the line; absent: the service has only one. */
  replica?: number;
}

/** `warning` includes errors. `stderr`: lines from stderr. `system`: lines of the platform. */
export const lineKinds = ['all', 'warning', 'error', 'stderr', 'system'] as const;
export type Shown = (typeof lineKinds)[number];

/** A part of a log: indexes from `from` on and before `to`. */
export interface Part {
  from: number;
  to: number;
}

export interface NamedPart extends Part {
  name: string;
}
