/** Bindings and secrets of the Worker, as declared in wrangler.toml. */
import type {
  HubCalls,
  LogStreamCalls,
  RuntimeLogCalls,
  ShellCalls,
  TransferCalls,
} from './gateways/object-calls.ts';

export interface Env {
  DB: D1Database;
  BLOBS: R2Bucket;
  RUNNER_HUB: DurableObjectNamespace<HubCalls>;
  LOG_STREAM: DurableObjectNamespace<LogStreamCalls>;
  RUNTIME_LOG: DurableObjectNamespace<RuntimeLogCalls>;
  TRANSFER: DurableObjectNamespace<TransferCalls>;
  SHELL: DurableObjectNamespace<ShellCalls>;
  /** Only for a control plane on a developer's own machine: also reaches private addresses (gateways/networks). */
  INNER_NETWORK?: Fetcher;
  /** Secret: the token for /api/system. */
  OPERATOR_TOKEN: string;
  /** Secret: 32 bytes, base64url; wraps every project's data key. */
  ENCRYPTION_KEY: string;
  /** Secrets that are set only during a rotation: the previous values. */
  OPERATOR_TOKEN_PREVIOUS?: string;
  ENCRYPTION_KEY_PREVIOUS?: string;
  /** Optional secrets: with them, Cloudflare's measurements of this account are read (docs/operate/cloudflare.md). */
  CLOUDFLARE_ACCOUNT_ID?: string;
  CLOUDFLARE_ANALYTICS_TOKEN?: string;
  /** Any text: only `/healthz` and the operator's routes answer, hosts can't connect, and no scheduled work runs (docs/operate/recovery.md). */
  PAUSED?: string;
  /** The address of an embedded control plane for other machines (`npm start -- --listen`). */
  HOSTS_URL?: string;
  /** The release that hosts download from this control plane (`host/release.json`): its version and the first characters of its checksum. */
  HOST_RELEASE?: string;
  /** The mark of this installation, two lower-case letters or digits, with which each of its ids and tokens begins. */
  CELL?: string;
}

export const isPaused = ({ PAUSED }: Env): boolean => PAUSED !== undefined && PAUSED !== '';

declare global {
  namespace Cloudflare {
    interface Env extends LongshoreEnv {}
  }
}
type LongshoreEnv = Env;
