import { localAddress } from '../api/passkeys.ts';
import { passkeysText } from '../text/passkeys-text.ts';
import { Show } from './show.ts';

/** A link to the same page at the name of this machine, where browsers have passkeys. */
export const LocalAddress = () => (
  <Show when={localAddress()}>
    {(address) => (
      <>
        {passkeysText.local} <a href={address()}>{new URL(address()).host}</a>
      </>
    )}
  </Show>
);
