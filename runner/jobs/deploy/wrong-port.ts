/** Reports the port on which an app listens if its service expects another one: the most common reason for a failed health check. */
import { inspectContainer } from '../../docker/containers.ts';
import { type ListeningPorts, listeningPorts } from '../../docker/listening-ports.ts';
import type { Attempt } from '../parts/attempt.ts';

/** The interval of two checks, which must agree: many apps open a port for metrics or debugging a moment before their own. */
const lookMs = 1_000;

/** The end of a sentence about `port`; `undefined` if the app listens on it, or the host does not know. */
export async function portsSentence({ parts, spec }: Attempt, id: string): Promise<string | undefined> {
  const { pid } = await inspectContainer(parts.docker, id);
  const ports = await listeningPorts(pid);
  return ports && describePorts(ports, spec.internalPort);
}

function describePorts({ open, loopbackOnly }: ListeningPorts, port: number): string | undefined {
  if (open.includes(port)) return undefined;
  if (loopbackOnly.includes(port)) {
    return 'the app listens there on 127.0.0.1 only; make it listen on 0.0.0.0.';
  }
  if (open.length === 0) return noPort;
  return `the app listens on ${open.join(', ')}. Change internalPort, or make the app listen on PORT.`;
}

const noPort = 'the app listens on no port.';

/**
 * Writes a wrong port into the job's log once, as soon as it is found. The deployment continues to wait: the right port may open later.
 * @returns a function to call before each try of the health check
 */
export function wrongPortNotice(attempt: Attempt, id: string): () => Promise<void> {
  let nextAt = performance.now() + lookMs;
  let before: string | undefined;
  let said = false;
  return async () => {
    if (said || performance.now() < nextAt) return;
    nextAt = performance.now() + lookMs;
    const seen = await portsSentence(attempt, id).catch(() => undefined);
    said = seen !== undefined && seen !== noPort && seen === before;
    before = seen;
    if (!said) return;
    const port = attempt.spec.internalPort;
    attempt.context.log.line(
      'system',
      // Differs from the sentence of a failure: explain-failure also searches the log, and the final failure may have another reason.
      `The service's internalPort is ${port}, where nothing answers yet: ${seen} The deployment waits on until its time is over.`,
    );
  };
}
