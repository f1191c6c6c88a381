/**
 * The messages between the two processes of a start. The starter does the one-time work: it sets the host up, migrates, enrols, deploys the
 * demo, and ends. The keeper runs the parts that stay, and does without the starter's modules. Both are the same version of this code, so
 * the messages are only typed.
 */
import type { SocketPorts, WorkerdGiven } from '../control-plane/workerd.ts';
import type { ExampleGiven, ServedExample } from '../demo/git-server.ts';

export interface Requests {
  /** Runs workerd until the end and restarts it when it dies. Answers with its ports. */
  workerd: { given: WorkerdGiven; answer: SocketPorts };
  /** Calls the Worker's scheduled handler at each full minute. */
  minutes: { given: { adminToken: string }; answer: null };
  /** Runs the runner until the end and restarts it when it dies. */
  runner: { given: RunnerGiven; answer: null };
  /** Serves the repository of the demo. */
  example: { given: ExampleGiven; answer: ServedExample };
}

export interface RunnerGiven {
  projectRoot: string;
  /** The runner's own data directory. */
  directory: string;
  logFile: string;
}

export type RequestName = keyof Requests;

/** A message from the starter. `ready` is sent once, when everything answers. */
export type StarterMessage =
  | { id: number; ask: RequestName; given: unknown }
  | { stream: 'stdout' | 'stderr'; text: string }
  | { ready: true };

export type KeeperMessage = { id: number; answer: unknown } | { id: number; error: string };
