/** The frame around every page: header, connection, commands, keyboard, messages. */
import { type RouteSectionProps, useLocation, useNavigate } from '@solidjs/router';
import { createEffect, createSignal, ErrorBoundary, For, on, onCleanup, Suspense, untrack } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { sentenceOf } from '../api/client.ts';
import { answeredAt, connection, probe } from '../api/connection.ts';
import { isOperator } from '../api/operator.ts';
import { isSignedIn } from '../api/session.ts';
import { t } from '../text/text.ts';
import { ageText, now } from '../ui/age.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { WarnIcon } from '../ui/icons.tsx';
import { Show } from '../ui/show.ts';
import { Toasts } from '../ui/toasts.tsx';
import { up } from './commands.ts';
import { connectionText, keysText } from './shell-text.ts';
import { useShortcuts } from './shortcuts.ts';
import { SideBar } from './side-bar.tsx';
import { useTroubles } from './troubles.ts';

type PaletteOf = typeof import('./palette.tsx').Palette;

/** The palette, loaded when it is first opened. Not with `lazy`, because reading its commands may suspend and would remove the open dialog. */
function usePalette(isOpened: () => boolean): () => PaletteOf | undefined {
  const [palette, setPalette] = createSignal<PaletteOf>();
  createEffect(() => {
    if (!isOpened() || palette()) return;
    void import('./palette.tsx').then(({ Palette }) => setPalette(() => Palette));
  });
  return () => (isOpened() ? palette() : undefined);
}

/** Pages that need no session with a key. */
const isSignInPage = (path: string) => /^\/sign-in(\/|$)/.test(path);
const isOpenPage = (path: string) => isSignInPage(path) || isOperatorPage(path);
const isOperatorPage = (path: string) => /^\/operator(\/|$)/.test(path);

export function Frame(props: RouteSectionProps) {
  const navigate = useNavigate();
  const location = useLocation();
  const [opened, setOpened] = createSignal<'palette' | 'help'>();
  // A dialog reports its end a little later; another one may be open by then.
  const close = (which: 'palette' | 'help') => setOpened((now) => (now === which ? undefined : now));
  const palette = usePalette(() => opened() === 'palette');
  const troubles = useTroubles();
  const isInside = () =>
    !isSignInPage(location.pathname) && (isSignedIn() || (isOperator() && isOperatorPage(location.pathname)));
  useShortcuts({
    palette: () => isInside() && setOpened('palette'),
    help: () => setOpened('help'),
    go: {
      p: () => navigate('/'),
      a: () => navigate('/alerts'),
      d: () => navigate('/deleted'),
      s: () => navigate('/settings'),
      o: () => navigate('/operator/hosts'),
      u: () => navigate(up() ?? '/'),
    },
  });
  // The wanted page is stored for after the sign-in.
  createEffect(() => {
    if (isSignedIn() || isOpenPage(location.pathname)) return;
    const page = location.pathname + location.hash;
    const wanted = page === '/' ? '' : `?to=${encodeURIComponent(page)}`;
    navigate(`/sign-in${wanted}`, { replace: true });
  });
  return (
    <>
      <a class="skip" href="#content">
        {t.skip}
      </a>
      <Show when={isInside()}>
        <SideBar troubles={troubles()} onPalette={() => setOpened('palette')} />
      </Show>
      <div class="page" classList={{ alone: !isInside() }}>
        <ConnectionBanner />
        <main id="content" tabindex="-1">
          <ErrorBoundary fallback={(error) => <Broken error={error} />}>
            <Suspense>
              <Show when={isInside() || isOpenPage(location.pathname)}>{props.children}</Show>
            </Suspense>
          </ErrorBoundary>
        </main>
      </div>
      <FocusOnNavigation />
      <Show when={palette()}>
        {(loaded) => (
          <Dynamic component={loaded()} onClose={() => close('palette')} onHelp={() => setOpened('help')} />
        )}
      </Show>
      <Show when={opened() === 'help'}>
        <KeyboardHelp onClose={() => close('help')} />
      </Show>
      <Toasts />
    </>
  );
}

/** Announces a new page: moves the focus to its content, like a full load. */
function FocusOnNavigation() {
  const location = useLocation();
  const page = () => location.pathname.split('/').slice(0, 3).join('/');
  createEffect(
    on(
      page,
      () => {
        document.getElementById('content')?.focus({ preventScroll: true });
        scrollTo(0, 0);
      },
      { defer: true },
    ),
  );
  return null;
}

/** Pause between two looks for a connection. */
const offlineRetryMs = 1_000;
const reloadIfBack = () => {
  if (connection() === 'ok') location.reload();
};

/** A page that failed to show. After an update its files may no longer exist; then only a reload helps. */
function Broken(props: { error: unknown }) {
  const isUnloaded = /import|module|fetch/i.test(String(props.error));
  // A reload while there is no connection would lose the page that the browser still shows.
  const isOffline = isUnloaded && untrack(() => connection() !== 'ok' || !navigator.onLine);
  if (!isOffline) console.error(props.error);
  if (isOffline) {
    const retry = setInterval(() => void (navigator.onLine && probe().then(reloadIfBack)), offlineRetryMs);
    onCleanup(() => clearInterval(retry));
  }
  const title = () => {
    if (isOffline) return connectionText.notLoaded;
    return isUnloaded ? connectionText.newVersion : t.errors.title;
  };
  return (
    <div class="empty">
      <h2>{title()}</h2>
      <Show when={!isUnloaded}>
        <p>{sentenceOf(props.error)}</p>
      </Show>
      <Show when={!isOffline}>
        <Button kind="primary" onClick={() => location.reload()}>
          {connectionText.reload}
        </Button>
      </Show>
    </div>
  );
}

/** The list of keys. */
function KeyboardHelp(props: { onClose(): void }) {
  return (
    <Dialog title={keysText.title} onClose={props.onClose}>
      <dl class="keys">
        <For each={keysText.rows}>
          {([keys, meaning]) => (
            <>
              <dt>
                <For each={keys.split(' ')}>{(key) => <kbd>{key}</kbd>}</For>
              </dt>
              <dd>{meaning}</dd>
            </>
          )}
        </For>
      </dl>
    </Dialog>
  );
}

/** Says when the shown data may be old, and why. */
function ConnectionBanner() {
  const trouble = () => {
    const state = connection();
    return state === 'ok' ? undefined : connectionText[state];
  };
  return (
    <div role="status">
      <Show when={trouble()}>
        {(text) => (
          <div class="banner">
            <WarnIcon />
            <p>
              {text()} {connectionText.since(ageText(now() - answeredAt()))}
            </p>
            <Button class="small" onClick={() => void probe()}>
              {t.retry}
            </Button>
          </div>
        )}
      </Show>
    </div>
  );
}
