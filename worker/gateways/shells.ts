/** Interactive sessions: one Shell object per session connects the sockets of the client and of the host. */
import { ApiError } from '../domain/errors.ts';
import type { ShellCalls, ShellSession } from './object-calls.ts';

export interface Shells {
  /** Begins a session, to which both sides may then connect. */
  begin(session: ShellSession): Promise<void>;
  /** Discards a session that the host has not opened. Never throws: the object discards it later on its own. */
  discard(shellId: string): Promise<void>;
  /**
   * The socket of one side of the session, not yet accepted.
   * @throws ApiError `not_found` if the session is over, `conflict` if this side is already connected
   */
  connect(shellId: string, side: 'host' | 'client'): Promise<WebSocket>;
}

export function createShells(namespace: DurableObjectNamespace<ShellCalls>): Shells {
  const objectOf = (shellId: string) => namespace.get(namespace.idFromName(shellId));
  return {
    begin: async (session) => await objectOf(session.shellId).begin(session),
    async discard(shellId) {
      try {
        await objectOf(shellId).discard();
      } catch (error) {
        console.error(`The shell ${shellId} was not forgotten now; its alarm does it:`, error);
      }
    },
    async connect(shellId, side) {
      const response = await objectOf(shellId).fetch(`https://shell/?side=${side}`, {
        headers: { upgrade: 'websocket' },
      });
      if (response.webSocket) return response.webSocket;
      await response.body?.cancel();
      if (response.status === 409)
        throw new ApiError('conflict', 'This shell is connected already: open another one.');
      throw new ApiError('not_found', 'This shell has ended: open another one.');
    },
  };
}
