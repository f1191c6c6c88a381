/** Watches the host while deployments run: arguments of every process, and every container that an instance creates. */
import { readdirSync, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import Docker from 'dockerode';

const sampleMs = 5;

export interface HostWatch {
  /** The argument lists that were seen, without duplicates. */
  commandLines: Set<string>;
  /** The containers as Docker had created them, before any change. */
  containers: Docker.ContainerInspectInfo[];
  stop(): void;
}

/** @param runnerId records containers that have it in a label */
export async function watchHost(runnerId: string): Promise<HostWatch> {
  const docker = new Docker();
  const commandLines = new Set<string>();
  const containers: Docker.ContainerInspectInfo[] = [];
  const timer = setInterval(() => {
    for (const line of argumentLists()) commandLines.add(line);
  }, sampleMs);
  const stream = await docker.getEvents({ filters: { type: ['container'], event: ['create'] } });
  const events = stream instanceof Readable ? stream : new Readable().wrap(stream);
  events.on('data', (chunk: Buffer) => {
    for (const line of chunk.toString().split('\n').filter(Boolean)) {
      const { Actor } = JSON.parse(line);
      if (!Object.values(Actor.Attributes).includes(runnerId)) continue;
      docker
        .getContainer(Actor.ID)
        .inspect()
        .then(
          (found) => containers.push(found),
          () => undefined, // gone already
        );
    }
  });
  return {
    commandLines,
    containers,
    stop() {
      clearInterval(timer);
      events.destroy();
    },
  };
}

function argumentLists(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return line === '' ? [] : [line.replaceAll('\0', ' ')];
      } catch {
        return []; // ended in between
      }
    });
}
