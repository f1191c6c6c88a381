/**
 * The last part of the handshake, which turns a socket with a hello into the runner's socket.
 * hub: challenge (nonce, audience) -> runner: signed hello -> hub: welcome, or a close code with the reason.
 */
import { closeCodes } from '../../protocol/enrolment.ts';
import { protocolVersion, type RunnerFrameOf } from '../../protocol/frames.ts';
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
/** Far more than facts and jobs need. Nothing larger is parsed before its sender has proven to be the runner: anybody may connect. */
export const helloCharsMax = 256 * 1024;

/**
 * Admits the socket and closes the runner's previous one, or refuses and closes it.
 * Must be called for one hello at a time, with the socket's state from before its nonce was used up.
 * @returns whether the socket is now the runner's
 */
export async function answerHello(
  deps: Pick<Dependencies, 'db' | 'now' | 'envelope'>,
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
  sockets.admit(socket, { bootId: hello.bootId });
  for (const other of others) closeOlderSocket(sockets, other, hello);
  return sockets.sendTo(socket, {
    v: protocolVersion,
    type: 'welcome',
    runnerId: hello.runnerId,
    drained: admitted.drained,
    reconnectWithinMs: reconnectSpreadMs(admitted.hosts),
    takesAlerts: true,
    ...(hello.facts.watchesOwnRules && { alertRules: admitted.alertRules }),
    ...(admitted.logDrains !== undefined && { logDrains: admitted.logDrains }),
  });
}

/** A process that still answers when a later one has taken its place is on another machine: here, it would have ended before. */
export async function noteAnswer(
  { db, now }: Pick<Dependencies, 'db' | 'now'>,
  state: Pick<SocketState, 'runnerId'> | null,
  code: number,
): Promise<void> {
  if (state && code === closeCodes.replaced) await raiseCopied(db, state.runnerId, now());
}

async function isVerified(challenged: SocketState, hello: RunnerFrameOf<'hello'>): Promise<boolean> {
  const { nonce, runnerId, audience, identityKey } = challenged;
  if (nonce === null || hello.nonce !== nonce) return false;
  if (hello.runnerId !== runnerId || hello.audience !== audience) return false;
  return isValidHello(identityKey, hello);
}

async function writePresence(
  deps: Pick<Dependencies, 'db' | 'now' | 'envelope'>,
  hello: RunnerFrameOf<'hello'>,
  { rivals, receivedAt }: { rivals: readonly string[]; receivedAt: number },
) {
  const { runnerId, bootId, facts, sentAt } = hello;
  try {
    const isReplaced =
      rivals.some((rival) => rival !== bootId) &&
      isAfter(await findBootIds(deps.db, runnerId), rivals, bootId);
    if (isReplaced) {
      await raiseCopied(deps.db, runnerId, receivedAt);
      return 'replaced';
    }
    const presence = await markConnected(deps.db, runnerId, { facts, bootId, sentAt, at: receivedAt });
    if (!presence) return undefined;
    const rules = facts.watchesOwnRules ? await rulesOfHost(deps.db, runnerId) : undefined;
    const logDrains = facts.drainsLogs ? await sealedDrainsOf(deps, runnerId) : undefined;
    return { ...presence, alertRules: rules ?? [], logDrains };
  } catch (error) {
    console.error(`The connection of ${hello.runnerId} could not be stored:`, error);
    return 'store failed';
  }
}

/**
 * Whether one of the rivals said hello for the first time after this process did. A process that nobody has seen is the newest: after a power
 * cut the socket of the one before seems open for a while, and the host's clock may be behind.
 * @param known ids of processes, newest first
 */
function isAfter(known: readonly string[], rivals: readonly string[], bootId: string): boolean {
  const own = known.indexOf(bootId);
  return rivals.some((rival) => known.includes(rival) && known.indexOf(rival) < own);
}

/** Uses a harmless close code for the same process, which must not read the end of its own old socket as an order to stop. */
function closeOlderSocket(sockets: RunnerSockets, other: WebSocket, hello: Session): void {
  const sameProcess = sockets.state(other)?.session?.bootId === hello.bootId;
  if (sameProcess) sockets.close(other, normalClosure, 'this process has reconnected');
  else sockets.close(other, closeCodes.replaced, 'a later process of this runner has connected');
}
