/** A line of a log, and what of a log can be shown. */

export interface Line {
  id: number;
  line: string;
  stream: 'stdout' | 'stderr' | 'system';
  createdAt: string;
  /** Number of the container that printed it; absent: the service has only one. */
  replica?: number;
}

/** `warning`: also errors. `stderr`: what went there. `system`: what the platform says. */
export const lineKinds = ['all', 'warning', 'error', 'stderr', 'system'] as const;
export type Shown = (typeof lineKinds)[number];

/** A part of a log, from one index to before another. */
export interface Part {
  from: number;
  to: number;
}

export interface NamedPart extends Part {
  name: string;
}
