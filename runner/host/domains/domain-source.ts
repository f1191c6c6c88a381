/** Who watches the custom domains of a host, as seen by whoever passes on what was found. */
import type { DomainState } from '../../../protocol/domain-state.ts';

export interface DomainSource {
  /** All that has been seen so far. */
  states(): DomainState[];
  /** Calls back with what has changed. */
  onChange(listener: (states: DomainState[]) => void): void;
}
