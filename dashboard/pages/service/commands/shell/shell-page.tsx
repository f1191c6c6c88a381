/** A shell in the live container of a service. The terminal is loaded with this page, and only with it. */
import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import { createSignal, onCleanup, onMount } from 'solid-js';
import '../../../../styles/shell-page.css';
import { api, sentenceOf } from '../../../../api/client.ts';
import { Button } from '../../../../ui/button.tsx';
import { Show } from '../../../../ui/show.ts';
import { keepPolicy } from './keep-policy.ts';
import { ShellConnection } from './shell-connection.ts';
import { shellText } from './shell-text.ts';

type State = keyof typeof shellText.states;

export function ShellPage(props: { serviceId: string; serviceName: string }) {
  const [state, setState] = createSignal<State>('opening');
  const [ending, setEnding] = createSignal('');
  const endPolicy = keepPolicy();
  const terminal = new Terminal({
    ...{ cursorBlink: false, scrollback: 5_000, fontSize: 14 },
    fontFamily: 'ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
    theme: {
      background: '#0f151b',
      foreground: '#dbe3ea',
      cursor: '#57c7c0',
      selectionBackground: '#3d4b59',
    },
  });
  const fit = new FitAddon();
  const encoder = new TextEncoder();
  let place: HTMLDivElement | undefined;
  let after: HTMLDivElement | undefined;
  let connection: ShellConnection | undefined;
  let isGone = false;
  terminal.loadAddon(fit);
  terminal.onData((text) => connection?.input(encoder.encode(text)));
  terminal.onBinary((text) => connection?.input(Uint8Array.from(text, (one) => one.charCodeAt(0))));
  terminal.onResize(({ cols, rows }) => connection?.resize({ columns: cols, rows }));
  terminal.attachCustomKeyEventHandler((event) => {
    if (!event.ctrlKey || !event.shiftKey) return true;
    // The browser pastes by itself.
    if (event.code === 'KeyV') return false;
    if (event.code !== 'KeyC' && event.code !== 'Space') return true;
    event.preventDefault();
    if (event.type !== 'keydown') return false;
    if (event.code === 'Space') after?.querySelector('button')?.focus();
    else void navigator.clipboard.writeText(terminal.getSelection()).catch(() => undefined);
    return false;
  });
  const open = async () => {
    setState('opening');
    setEnding('');
    terminal.reset();
    try {
      const { shell, ticket } = await api.call('POST /api/services/:serviceId/shells', {
        params: { serviceId: props.serviceId },
        body: { terminal: { columns: terminal.cols, rows: terminal.rows } },
      });
      if (isGone) return;
      connection = new ShellConnection(shell.connectPath, [shell.protocol, ticket], {
        output: (bytes, done) => terminal.write(bytes, done),
        opened() {
          setState('open');
          connection?.resize({ columns: terminal.cols, rows: terminal.rows });
          terminal.focus();
        },
        ended({ code, reason }) {
          setState('ended');
          setEnding(code === null ? (reason ?? shellText.lost) : shellText.exited(code));
        },
      });
    } catch (error) {
      setState('ended');
      setEnding(sentenceOf(error));
    }
  };
  /** While the page waits for something else, its parts are in another document, where xterm can't measure and the policy is not kept. */
  const start = () => {
    if (!place || isGone) return;
    if (!place.isConnected) {
      requestAnimationFrame(start);
      return;
    }
    terminal.open(place);
    terminal.textarea?.setAttribute('aria-label', shellText.terminal(props.serviceName));
    fit.fit();
    watch.observe(place);
    void open();
  };
  const watch = new ResizeObserver(() => fit.fit());
  onMount(start);
  onCleanup(() => {
    isGone = true;
    watch.disconnect();
    connection?.close();
    terminal.dispose();
    endPolicy();
  });
  return (
    <section class="panel shell-page">
      <header>
        <h2>{shellText.title}</h2>
        <span class="quiet-text" role="status">
          {shellText.states[state()]}
        </span>
      </header>
      <p class="quiet-text">{shellText.help}</p>
      <div class="terminal-place" ref={place} />
      <div class="shell-end" ref={after}>
        <Show
          when={state() === 'ended'}
          fallback={<Button onClick={() => connection?.close()}>{shellText.end}</Button>}
        >
          <p role="alert">{ending()}</p>
          <Button kind="primary" onClick={() => void open()}>
            {shellText.again}
          </Button>
        </Show>
        <span class="quiet-text">{shellText.keys}</span>
      </div>
    </section>
  );
}
