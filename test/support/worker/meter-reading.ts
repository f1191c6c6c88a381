/** The answer of cost-worker.ts to `GET /meter`: counts since the previous request. */
export interface ObjectUse {
  requests: number;
  rpcCalls: number;
  messages: number;
  alarms: number;
  /** Time in which the objects of the class could not hibernate, in ms. */
  activeMs: number;
  rowsWritten: number;
  bytesStored: number;
}

export interface MeterReading {
  workerRequests: number;
  cronRuns: number;
  d1: { trips: number; rowsRead: number; rowsWritten: number; bytesStored: number };
  /** Keyed by class. */
  objects: Record<string, ObjectUse>;
  logLines: number;
}
