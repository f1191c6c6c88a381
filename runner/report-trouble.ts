/** The connection of a runner that can't start: it only reports the reason to the control plane. */
import { protocolVersion } from '../protocol/frames.ts';
import type { RunnerFacts } from '../protocol/runner-facts.ts';
import { type Clock, pause } from './base/clock.ts';
import { messageOf } from './base/logger.ts';
import { ControlSocket } from './connection/control-socket.ts';
import type { DaemonOptions } from './daemon.ts';
import { connectDocker } from './docker/client.ts';
import { readDockerFacts } from './docker/docker-facts.ts';
import { hostFacts, notStarted } from './host/host-facts.ts';
import { readConfig } from './setup/config-file.ts';
import { recordConnection } from './setup/connection-record.ts';
import { readIdentity } from './setup/identity.ts';

export interface TroubleReport {
  /** The last reason. */
  readonly sentence: string;
  /** Reports another reason. */
  say(sentence: string): void;
  /** Resolves once the control plane has received all reports. */
  close(): Promise<void>;
}

/** The hello must be sent within 10 s. */
const dockerLimitMs = 2_000;

/** Connects, and stays connected until it is closed. The control plane sends only requests, which are answered with the reason. */
export function reportTrouble(
  {
    dataDirectory,
    bootId,
    clock,
    logger,
    stopped,
  }: Omit<DaemonOptions, 'clock' | 'bootId'> & { clock: Clock; bootId: string },
  first: string,
): TroubleReport {
  const config = readConfig(dataDirectory);
  const { sign } = readIdentity(dataDirectory);
  let sentence = first;
  const facts = async (): Promise<RunnerFacts> => {
    const docker = readDockerFacts(connectDocker(config.runnerId)).catch(() => null);
    const known = await Promise.race([docker, pause(clock, dockerLimitMs).then(() => null)]);
    return await hostFacts(config, known, { ...notStarted, trouble: sentence });
  };
  // An installation waits for this record, and prints it.
  const record = () => recordConnection({ dataDirectory, clock, logger }, sentence);
  const socket = new ControlSocket(
    {
      url: config.url,
      runnerId: config.runnerId,
      ...{ bootId, sign, facts, clock, logger },
      jobs: () => [],
    },
    {
      connected: () => record(),
      disconnected: () => {},
      frame(frame) {
        if (frame.type !== 'request') return;
        const outcome = { ok: false as const, code: 'internal' as const, message: sentence };
        socket.send({ v: protocolVersion, type: 'response', id: frame.id, outcome });
      },
      stopped,
    },
  );
  socket.start();
  return {
    get sentence() {
      return sentence;
    },
    say(next) {
      if (next === sentence) return;
      sentence = next;
      record();
      facts()
        .then((changed) =>
          socket.send({ v: protocolVersion, type: 'facts', facts: changed, sentAt: clock.now() }),
        )
        .catch((error: unknown) => logger.warn(`could not report the trouble: ${messageOf(error)}`));
    },
    close: () => socket.close(),
  };
}
