/** One way to sign in: whether it works, why it failed, and where it leads. */
import { useNavigate } from '@solidjs/router';
import { createSignal } from 'solid-js';
import { sentenceOf } from '../api/client.ts';
import { queries } from '../api/query-client.ts';

/** @returns false where there is no session: the browser leaves for a provider, or nothing was chosen */
type Sign = () => Promise<boolean>;

export interface SigningIn {
  /** @param refused a sentence in place of the server's; undefined: the server's */
  go(sign: Sign, refused?: (error: unknown) => string | undefined): Promise<void>;
  /** The same for what happens in the background: nothing is busy meanwhile, and nothing else ends. */
  wait(sign: Sign): Promise<void>;
  failure(): string;
  busy(): boolean;
}

/** @param around what else happens when this way starts and when it fails */
export function useSignIn(target: () => string, around: { starts?(): void; fails?(): void } = {}): SigningIn {
  const navigate = useNavigate();
  const [failure, setFailure] = createSignal('');
  const [busy, setBusy] = createSignal(false);
  const end = () => {
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
        // It is not tried again by itself: a refused passkey would be refused again.
        setFailure(sentenceOf(error));
      }
    },
  };
}
