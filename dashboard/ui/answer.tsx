/** Shows a query: its data, a placeholder, or the sentence of its failure with a next step. Old data stays visible. */
import type { JSX } from 'solid-js';
import { LongshoreError } from '../../client/client.ts';
import { sentenceOf } from '../api/client.ts';
import { t } from '../text/text.ts';
import { Button } from './button.tsx';
import { Show } from './show.ts';

interface Query<Data> {
  data: Data | undefined;
  error: Error | null;
  isFetching: boolean;
  refetch(): Promise<unknown>;
}

interface AnswerProps<Data> {
  query: Query<Data>;
  /** Number of lines in the placeholder. */
  lines?: number;
  children(data: () => NonNullable<Data>): JSX.Element;
}

export function Answer<Data>(props: AnswerProps<Data>) {
  return (
    <Show
      when={props.query.data as NonNullable<Data> | undefined}
      fallback={
        <Show when={props.query.error} fallback={<Placeholder lines={props.lines ?? 4} />}>
          {(error) => <Failure error={error()} query={props.query} />}
        </Show>
      }
    >
      {(data) => props.children(data)}
    </Show>
  );
}

function Failure(props: { error: Error; query: Query<unknown> }) {
  const statusOf = () => (props.error instanceof LongshoreError ? props.error.status : undefined);
  const isAbsent = () => statusOf() === 404;
  /** Another try gives the same answer. */
  const isFinal = () => isAbsent() || statusOf() === 403;
  return (
    <div class="empty">
      <h2>{isAbsent() ? t.errors.notFoundTitle : t.errors.title}</h2>
      <p>{isAbsent() ? t.errors.notFound : sentenceOf(props.error)}</p>
      <Show when={!isFinal()} fallback={<a href="/">{t.errors.back}</a>}>
        <Button busy={props.query.isFetching} onClick={() => void props.query.refetch()}>
          {t.retry}
        </Button>
      </Show>
    </div>
  );
}

function Placeholder(props: { lines: number }) {
  return (
    <div class="placeholder" role="status">
      <span class="visually-hidden">{t.loading}</span>
      {Array.from({ length: props.lines }, () => (
        <span class="bar" aria-hidden="true" />
      ))}
    </div>
  );
}
