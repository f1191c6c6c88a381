/** The interface of a watch over a host's custom domains, for the part that reports their states. */
import type { DomainState } from '../../../protocol/domain-state.ts';

export interface DomainSource {
  /** All states known so far. */
  states(): DomainState[];
  /** Calls `listener` with the states that changed. */
  onChange(listener: (states: DomainState[]) => void): void;
}
