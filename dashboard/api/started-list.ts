/** The deployments that this tab has started and still shows. Apart from what follows them, which is loaded only when it is needed. */
import { createSignal } from 'solid-js';
import type { Deployment } from './queries.ts';

export interface Started {
  deployment: Deployment;
  serviceName: string;
  /** Epoch milliseconds in this browser. */
  startedAt: number;
  endedAt: number | undefined;
}

const [started, setStarted] = createSignal<readonly Started[]>([]);

export { setStarted, started };
