/** One way to sign in: whether it is running, why it failed, and the next page. */
import { useNavigate } from '@solidjs/router';
import { createSignal } from 'solid-js';
import { sentenceOf } from '../../api/client.ts';
import { queries } from '../../api/query-client.ts';

/** @returns false if there is no session: the browser leaves for a provider, or the user chose nothing */
type Sign = () => Promise<boolean>;

export interface SigningIn {
  /** @param refused returns a sentence that replaces the server's; undefined: the server's */
  go(sign: Sign, refused?: (error: unknown) => string | undefined): Promise<void>;
  /** The same in the background: nothing is shown as busy, and other ways are not ended. */
  wait(sign: Sign): Promise<void>;
  failure(): string;
  busy(): boolean;
}

/** @param around called when this way starts and when it fails */
export function useSignIn(target: () => string, around: { starts?(): void; fails?(): void } = {}): SigningIn {
  const navigate = useNavigate();
  const [failure, setFailure] = createSignal('');
  const [busy, setBusy] = createSignal(false);
  let isOver = false;
  /** Two ways may run at once: the second one to finish must not clear the page that the first one has opened. */
  const end = () => {
    if (isOver) return;
    isOver = true;
    queries.clear();
    navigate(target(), { replace: true });
  };
  return {
    ...{ failure, busy },
    async go(sign, refused) {
      around.starts?.();
      setBusy(true);
      setFailure('');
      try {
        if (await sign()) end();
      } catch (error) {
        setFailure(refused?.(error) ?? sentenceOf(error));
        setBusy(false);
        around.fails?.();
      }
    },
    async wait(sign) {
      try {
        if (await sign()) end();
      } catch (error) {
        // Not retried automatically: a refused passkey would be refused again.
        setFailure(sentenceOf(error));
      }
    },
  };
}
