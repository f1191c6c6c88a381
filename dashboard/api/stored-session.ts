/** The part of a session that a page keeps in the origin's storage: its id, and the proof that accompanies the cookie (docs/design/security.md). */
import { createSignal } from 'solid-js';

export interface Stored {
  id: string;
  proof: string;
}

/** @param key in the storage @returns the session of all tabs: signing in or out in one tab affects all of them */
export function storedSession(key: string) {
  const [session, setSession] = createSignal(read(key));
  addEventListener('storage', (event) => event.key === key && setSession(read(key)));
  return {
    session,
    keep({ id, proof }: Stored): void {
      localStorage.setItem(key, JSON.stringify({ id, proof }));
      setSession({ id, proof });
    },
    /** For the next load of the page: what is shown stays as it is. */
    forgetStored(): void {
      localStorage.removeItem(key);
    },
    forget(): void {
      localStorage.removeItem(key);
      setSession(undefined);
    },
  };
}

function read(key: string): Stored | undefined {
  try {
    const stored = JSON.parse(localStorage.getItem(key) ?? 'null');
    return typeof stored?.proof === 'string' && typeof stored.id === 'string' ? stored : undefined;
  } catch {
    return undefined;
  }
}
