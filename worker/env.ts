/** Bindings and secrets of the Worker, as wrangler.toml declares them. */
import type { LogStream } from './objects/log-stream.ts';
import type { RunnerHub } from './objects/runner-hub.ts';
import type { RuntimeLog } from './objects/runtime-log.ts';
import type { Transfer } from './objects/transfer.ts';

export interface Env {
  DB: D1Database;
  BLOBS: R2Bucket;
  RUNNER_HUB: DurableObjectNamespace<RunnerHub>;
  LOG_STREAM: DurableObjectNamespace<LogStream>;
  RUNTIME_LOG: DurableObjectNamespace<RuntimeLog>;
  TRANSFER: DurableObjectNamespace<Transfer>;
  /** Secret: the token of /api/system. */
  OPERATOR_TOKEN: string;
  /** Secret: 32 bytes, base64url; wraps every project's data key. */
  ENCRYPTION_KEY: string;
}

declare global {
  namespace Cloudflare {
    interface Env extends LongshoreEnv {}
  }
}
type LongshoreEnv = Env;
