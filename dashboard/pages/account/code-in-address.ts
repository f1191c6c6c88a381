import { createSignal, onCleanup, onMount } from 'solid-js';

/**
 * The code of a sign-in link, which follows `#`: on opening the page, and when the link is pasted into the address bar of the open page. The
 * code leaves the address bar and the history at once.
 * @returns the code, empty without one, and its setter
 */
export function useCodeInAddress(): [code: () => string, setCode: (code: string) => void] {
  const [code, setCode] = createSignal(codeInAddress());
  const take = () => {
    const found = codeInAddress();
    if (found === '') return;
    setCode(found);
    history.replaceState(history.state, '', location.pathname + location.search);
  };
  onMount(take);
  addEventListener('hashchange', take);
  onCleanup(() => removeEventListener('hashchange', take));
  return [code, setCode];
}

function codeInAddress(): string {
  const found = location.hash.slice(1);
  return found.startsWith('lsk_') ? found : '';
}
