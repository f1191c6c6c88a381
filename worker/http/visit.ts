import type { Dependencies } from '../usecases/dependencies.ts';
import type { IsolateMemory } from './isolate-memory.ts';
import type { PathParameters } from './resources.ts';
import type { AnyRoute } from './route.ts';

/** One request on its way through the checks of its route. */
export interface Visit {
  route: AnyRoute;
  /** Values of the path's `:param`s. */
  params: PathParameters;
  request: Request;
  requestId: string;
  /** The client, as limits and audit count it (client-address). */
  address: string;
  deps: Dependencies;
  memory: IsolateMemory;
  /** Runs after the answer was sent. */
  waitUntil(work: Promise<unknown>): void;
}
