/**
 * The last part of the handshake, which turns a socket with a hello into the runner's socket.
 * hub: challenge (nonce, audience) -> runner: signed hello -> hub: welcome, or a close code with the reason.
 */
import { closeCodes } from '../../protocol/enrolment.ts';
import { protocolVersion, type RunnerFrameOf } from '../../protocol/frames.ts';
import { upgradeNeeded, withUpgradeNeeded } from '../domain/hosts/minimum-runner.ts';
import { reconnectSpreadMs } from '../domain/hosts/reconnect-spread.ts';
import { isValidHello } from '../security/hello-signature.ts';
import { rulesOfHost } from '../store/alerts/alert-rule-store.ts';
import { raiseCopied } from '../store/hosts/host-event-store.ts';
import { markConnected } from '../store/hosts/presence-store.ts';
import { findBootIds } from '../store/hosts/runner-process-store.ts';
import type { Dependencies } from '../usecases/dependencies.ts';
import { sealedDrainsOf } from '../usecases/logs/drains-of-host.ts';
import { type RunnerSockets, type Session, type SocketState, tryAgainLater } from './runner-sockets.ts';

const normalClosure = 1000;
/** Far above the size of facts and jobs. Larger text is not parsed before the sender has proven to be the runner, because anybody may connect. */
export const helloCharsMax = 256 * 1024;

/**
 * Admits the socket and closes the runner's previous one, or refuses and closes it.
 * Must be called for one hello at a time, with the state that the socket had before its nonce was used.
 * @returns whether the socket is now the runner's
 */
export async function answerHello(
  deps: Pick<Dependencies, 'db' | 'now' | 'newId' | 'envelope'>,
  sockets: RunnerSockets,
  { socket, challenged }: { socket: WebSocket; challenged: SocketState },
  hello: RunnerFrameOf<'hello'>,
): Promise<boolean> {
  if (!(await isVerified(challenged, hello))) {
    sockets.close(socket, closeCodes.unauthenticated, 'not the signed answer to this challenge');
    return false;
  }
  const receivedAt = deps.now();
  const others = sockets.withSession();
  const rivals = others.map((other) => sockets.state(other)?.session?.bootId ?? '');
  const admitted = await writePresence(deps, hello, { rivals, receivedAt });
  if (admitted === 'store failed') {
    sockets.close(socket, tryAgainLater, 'the store does not answer');
    return false;
  }
  if (admitted === 'replaced') {
    sockets.close(socket, closeCodes.replaced, 'a later process of this runner is connected');
    return false;
  }
  if (!admitted) {
    sockets.close(socket, closeCodes.revoked, 'this runner was revoked');
    return false;
  }
  const session = { bootId: hello.bootId, upgradeNeeded: upgradeNeeded(hello.facts) };
  sockets.admit(socket, session);
  for (const other of others) closeOlderSocket(sockets, other, hello);
  return sockets.sendTo(socket, {
    v: protocolVersion,
    type: 'welcome',
    runnerId: hello.runnerId,
    drained: admitted.drained,
    reconnectWithinMs: reconnectSpreadMs(admitted.hosts),
    upgradeNeeded: session.upgradeNeeded,
    // The rules may have new fields: an older runner would discard the frame.
    alertRules: session.upgradeNeeded === null ? admitted.alertRules : null,
    logDrains: session.upgradeNeeded === null ? admitted.logDrains : null,
  });
}

/** Records that a process still answers although a later one has replaced it: it must run on another machine, because here it would have ended. */
export async function noteAnswer(
  { db, newId, now }: Pick<Dependencies, 'db' | 'newId' | 'now'>,
  state: Pick<SocketState, 'runnerId'> | null,
  code: number,
): Promise<void> {
  if (state && code === closeCodes.replaced)
    await raiseCopied(db, { runnerId: state.runnerId, eventId: newId('event'), at: now() });
}

async function isVerified(challenged: SocketState, hello: RunnerFrameOf<'hello'>): Promise<boolean> {
  const { nonce, runnerId, audience, identityKey } = challenged;
  if (nonce === null || hello.nonce !== nonce) return false;
  if (hello.runnerId !== runnerId || hello.audience !== audience) return false;
  return isValidHello(identityKey, hello);
}

async function writePresence(
  deps: Pick<Dependencies, 'db' | 'now' | 'newId' | 'envelope'>,
  hello: RunnerFrameOf<'hello'>,
  { rivals, receivedAt }: { rivals: readonly string[]; receivedAt: number },
) {
  const { runnerId, bootId, sentAt } = hello;
  const facts = withUpgradeNeeded(hello.facts);
  try {
    const isReplaced =
      rivals.some((rival) => rival !== bootId) &&
      isAfter(await findBootIds(deps.db, runnerId), rivals, bootId);
    if (isReplaced) {
      await raiseCopied(deps.db, { runnerId, eventId: deps.newId('event'), at: receivedAt });
      return 'replaced';
    }
    const presence = await markConnected(deps.db, runnerId, {
      ...{ facts, bootId, sentAt, at: receivedAt },
      eventId: deps.newId('event'),
    });
    if (!presence) return undefined;
    const alertRules = await rulesOfHost(deps.db, runnerId);
    return { ...presence, alertRules, logDrains: await sealedDrainsOf(deps, runnerId) };
  } catch (error) {
    console.error(`The connection of ${hello.runnerId} could not be stored:`, error);
    return 'store failed';
  }
}

/**
 * Whether one of the rivals sent its first hello after this process did. An unknown process is the newest: after a power cut the previous
 * process's socket seems open for a while, and the host's clock may be behind.
 * @param known ids of processes, newest first
 */
function isAfter(known: readonly string[], rivals: readonly string[], bootId: string): boolean {
  const own = known.indexOf(bootId);
  return rivals.some((rival) => known.includes(rival) && known.indexOf(rival) < own);
}

/** Uses a harmless close code for the same process, which must not interpret the end of its own old socket as an order to stop. */
function closeOlderSocket(sockets: RunnerSockets, other: WebSocket, hello: Pick<Session, 'bootId'>): void {
  const sameProcess = sockets.state(other)?.session?.bootId === hello.bootId;
  if (sameProcess) sockets.close(other, normalClosure, 'this process has reconnected');
  else sockets.close(other, closeCodes.replaced, 'a later process of this runner has connected');
}
