import type { Dependencies } from '../usecases/dependencies.ts';
import type { IsolateMemory } from './isolate-memory.ts';
import type { PathParameters } from './loaders/loader.ts';
import type { AnyRoute } from './route.ts';

/** A request during its route's checks. */
export interface Visit {
  route: AnyRoute;
  /** Values of the path's `:param`s. */
  params: PathParameters;
  request: Request;
  requestId: string;
  /** The client address for limits and audit (client-address). */
  address: string;
  deps: Dependencies;
  memory: IsolateMemory;
  /** Runs after the response is sent. */
  waitUntil(work: Promise<unknown>): void;
}
