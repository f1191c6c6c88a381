import type { Dependencies } from '../usecases/dependencies.ts';
import type { IsolateMemory } from './isolate-memory.ts';
import type { PathParameters } from './resources.ts';
import type { AnyRoute } from './route.ts';

/** One request while it passes its route's checks. */
export interface Visit {
  route: AnyRoute;
  /** Values of the path's `:param`s. */
  params: PathParameters;
  request: Request;
  requestId: string;
  /** The client address that limits and audit use (client-address). */
  address: string;
  deps: Dependencies;
  memory: IsolateMemory;
  /** Runs after the response is sent. */
  waitUntil(work: Promise<unknown>): void;
}
