/** A runner as far as the control plane sees it: enrolled, the runner's own control socket, signed hello, pings. It does no work. */
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import type { HubFrame, RunnerFrame } from '../../../protocol/frames.ts';
import { systemClock } from '../../../runner/base/clock.ts';
import { ControlSocket } from '../../../runner/connection/control-socket.ts';
import { testFacts } from '../../support/test-facts.ts';
import type { BenchControlPlane } from './control-plane.ts';

const facts = { ...testFacts, publicIp: null };

export interface SimulatedRunner {
  runnerId: string;
  send(frame: RunnerFrame): boolean;
  close(): void;
  /** Welcomes so far. */
  connections(): number;
}

export interface EnrolledKeys {
  runnerId: string;
  sign(text: string): string;
}

export async function enrolSimulated(
  controlPlane: Pick<BenchControlPlane, 'operator' | 'call'>,
  name: string,
): Promise<EnrolledKeys> {
  const { token } = await controlPlane.operator('POST', '/api/system/runners', { name });
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const sealing = generateKeyPairSync('x25519').publicKey;
  const { runnerId } = await controlPlane.call('POST', '/api/runner/enrol', {
    token,
    name,
    identityKey: publicKey.export({ format: 'jwk' }).x,
    sealingKey: sealing.export({ format: 'jwk' }).x,
    facts,
  });
  return { runnerId, sign: (text) => sign(null, Buffer.from(text), privateKey).toString('base64url') };
}

/** Dials; resolves at the first welcome. */
export function connectSimulated(
  url: string,
  keys: EnrolledKeys,
  frame: (frame: HubFrame) => void = () => {},
): Promise<SimulatedRunner> {
  let connections = 0;
  const { promise, resolve, reject } = Promise.withResolvers<SimulatedRunner>();
  const socket = new ControlSocket(
    {
      url,
      ...keys,
      bootId: randomUUID(),
      facts: async () => facts,
      jobs: () => [],
      clock: systemClock,
      logger: { info() {}, warn() {}, error() {} },
    },
    {
      connected() {
        connections += 1;
        resolve({
          runnerId: keys.runnerId,
          send: (one) => socket.send(one),
          close: () => void socket.close(),
          connections: () => connections,
        });
      },
      disconnected() {},
      frame,
      stopped: reject,
    },
  );
  socket.start();
  return promise;
}
