/** One line in full: its fields, the lines around it, and searches from it. */
import { createMemo, createSignal, For } from 'solid-js';
import { jsonOf } from '../../../protocol/logs/lines/json-line.ts';
import { api, sentenceOf } from '../../api/client.ts';
import type { KeptLine } from '../../api/follow-kept.ts';
import { logSearchText as text } from '../../text/log-search-text.ts';
import { clockTime, exactTime } from '../../ui/age.tsx';
import { Button } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy.tsx';
import { CloseIcon } from '../../ui/icons.tsx';
import { Show } from '../../ui/show.ts';
import { withoutColours } from '../ansi.ts';
import { type ExplorerRow, fieldsOf, type LineField, termOf } from './explorer-rows.ts';

interface LineDetailsProps {
  row: ExplorerRow;
  serviceName: string;
  link: string;
  onTerm(term: string): void;
  onClose(): void;
}

export function LineDetails(props: LineDetailsProps) {
  const [around, setAround] = createSignal<readonly KeptLine[]>();
  const [trouble, setTrouble] = createSignal('');
  const line = () => props.row.of;
  const whole = () => [line(), ...props.row.more].map((one) => withoutColours(one.line)).join('\n');
  const facts = createMemo((): LineField[] => [
    ...(line().level ? [{ path: 'level', value: String(line().level) }] : []),
    { path: 'stream', value: line().stream },
    ...(line().replica === undefined ? [] : [{ path: 'replica', value: String(line().replica) }]),
    ...(line().deploymentId === null ? [] : [{ path: 'deployment', value: String(line().deploymentId) }]),
    ...fieldsOf(jsonOf(line().line) ?? {}).filter(({ path }) => path !== 'level'),
  ]);
  const load = async () => {
    const query = { line: String(Math.floor(line().id)), before: 20, after: 20 };
    try {
      const { logs } = await api.call('GET /api/services/:serviceId/runtime-logs/around', {
        params: { serviceId: line().serviceId },
        query,
      });
      setAround(logs);
    } catch (error) {
      setTrouble(sentenceOf(error));
    }
  };
  return (
    <aside class="line-details" aria-label={text.details}>
      <header>
        <h2>
          <time datetime={line().createdAt}>{exactTime(line().createdAt)}</time>
        </h2>
        <Button kind="quiet" class="small" icon={CloseIcon} aria-label={text.close} onClick={props.onClose} />
      </header>
      <p class="quiet-text">
        {props.serviceName}
        <Show when={line().deploymentId}>
          {(id) => (
            <>
              {' · '}
              <a href={`/deployments/${id()}`}>{text.deployment}</a>
            </>
          )}
        </Show>
      </p>
      <pre class="line-whole">{whole()}</pre>
      <div class="line-actions">
        <Button class="small" onClick={() => void load()}>
          {text.linesAround}
        </Button>
        <Button
          kind="quiet"
          class="small"
          onClick={() => void copyText(new URL(props.link, location.href).href, text.linkCopied)}
        >
          {text.copyLink}
        </Button>
        <Button kind="quiet" class="small" onClick={() => void copyText(whole(), text.textCopied)}>
          {text.copyText}
        </Button>
      </div>
      <Show when={trouble()}>{(sentence) => <p class="notice">{sentence()}</p>}</Show>
      <Show when={around()}>
        {(lines) => (
          <ol class="lines-around" aria-label={text.linesAround}>
            <For each={lines()}>
              {(one) => (
                <li classList={{ current: one.id === line().id }}>
                  <time datetime={one.createdAt}>{clockTime(one.createdAt)}</time> {withoutColours(one.line)}
                </li>
              )}
            </For>
          </ol>
        )}
      </Show>
      <dl class="line-fields" aria-label={text.fields}>
        <For each={facts()}>
          {(field) => (
            <div>
              <dt>{field.path}</dt>
              <dd>
                <span>{field.value}</span>
                <button
                  type="button"
                  class="link"
                  title={text.only(field.path)}
                  aria-label={text.only(field.path)}
                  onClick={() => props.onTerm(termOf(field))}
                >
                  +
                </button>
                <button
                  type="button"
                  class="link"
                  title={text.without(field.path)}
                  aria-label={text.without(field.path)}
                  onClick={() => props.onTerm(`-${termOf(field)}`)}
                >
                  −
                </button>
              </dd>
            </div>
          )}
        </For>
      </dl>
    </aside>
  );
}
